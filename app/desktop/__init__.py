"""The desktop around the window: tray, notifications, one instance."""
