"""Tables for notebooks. Every text is data and is escaped."""

import html


def table(head, rows, below=''):
    """A table in HTML. `head` and each of `rows` are texts or numbers; `below` is a line under the table."""
    top = ''.join(f'<th>{html.escape(str(cell))}</th>' for cell in head)
    body = ''.join(
        '<tr>' + ''.join(f'<td>{html.escape(str(cell))}</td>' for cell in row) + '</tr>' for row in rows
    )
    line = f'<p>{html.escape(below)}</p>' if below else ''
    return f'<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>{line}'
