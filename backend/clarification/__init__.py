"""Questions: opening, answering, delivering, recovering."""
