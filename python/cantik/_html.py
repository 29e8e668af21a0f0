"""Tables for notebooks. Every text is data and is escaped."""


def escaped(text):
    """A text as HTML shows it."""
    import html  # late: it is slow to load

    return html.escape(text)


def table(head, rows, below=''):
    """A table in HTML. `head` and each of `rows` are texts or numbers; `below` is a line under the table."""
    top = ''.join(f'<th>{escaped(str(cell))}</th>' for cell in head)
    body = ''.join(
        '<tr>' + ''.join(f'<td>{escaped(str(cell))}</td>' for cell in row) + '</tr>' for row in rows
    )
    line = f'<p>{escaped(below)}</p>' if below else ''
    return f'<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>{line}'
