"""What the demo agent asks."""

from typing import Final

SINGLE: Final = {
    "context": "The new service stores **orders**. It starts small: one machine, one process.",
    "questions": [
        {
            "id": "database",
            "title": "Database",
            "prompt": "Which database should the new service use?",
            "options": [
                {
                    "label": "SQLite",
                    "description": "One file, nothing to run. Moves to a server later.",
                },
                {
                    "label": "PostgreSQL",
                    "description": "A server from the first day; needs an administrator.",
                },
                {
                    "label": "Plain files",
                    "description": "JSON on disk; no queries, no transactions.",
                },
            ],
        }
    ],
}

SEVERAL: Final = {
    "context": "Before I write the first line I need three decisions.",
    "questions": [
        {
            "id": "language",
            "title": "Language",
            "prompt": "Which language should the service be written in?",
            "options": [
                {"label": "Python", "description": "What the rest of the repository uses."},
                {"label": "Go", "description": "One static binary."},
            ],
        },
        {
            "id": "checks",
            "title": "Checks",
            "prompt": "Which checks should run on every change?",
            "multi_select": True,
            "options": [
                {"label": "Unit tests", "description": "About 20 seconds."},
                {"label": "Type checker", "description": "About 5 seconds."},
                {"label": "Linter", "description": "About 1 second."},
                {"label": "End-to-end tests", "description": "About 4 minutes."},
            ],
        },
        {
            "id": "name",
            "title": "Name",
            "prompt": "What should the service be called? Write it in your own words.",
            "options": [],
        },
    ],
}

IMPATIENT: Final = {
    "questions": [
        {
            "id": "deploy",
            "title": "Deploy",
            "prompt": "May I deploy the service to the staging machine now?",
            "options": [
                {"label": "Yes, deploy", "description": "Staging only; nothing else is touched."},
                {"label": "Not yet", "description": "I will stop here."},
            ],
        }
    ]
}
