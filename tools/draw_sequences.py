#!/usr/bin/env python3
"""Draws docs/pictures/sequences.svg: three sequences as the user gives them, and as they lie in memory.

tools/draw_sequences.py > docs/pictures/sequences.svg
"""

LENGTHS = (2, 1, 3)
COLOURS = ('#4878a8', '#d08030', '#5a9a5a')
CELL, GAP, WIDTH = 26, 22, 3  # size of a number's cell, space between sequences, numbers in a row
LEFT, BLOCK, BATCH = 30, 300, 520  # where the three columns begin
TOP = 64


def text(x, y, words, size=13, anchor='start', colour='#333', weight='normal'):
    form = f'font-size="{size}" text-anchor="{anchor}" fill="{colour}" font-weight="{weight}"'
    return f'<text x="{x}" y="{y}" {form}>{words}</text>'


def row(x, y, colour, numbers=WIDTH):
    return ''.join(
        f'<rect x="{x + i * CELL}" y="{y}" width="{CELL}" height="{CELL}" fill="{colour}" '
        'stroke="white" stroke-width="2" rx="3"/>'
        for i in range(numbers)
    )


def line(x1, y1, x2, y2, colour):
    middle = (x1 + x2) / 2
    curve = f'M{x1} {y1} C{middle} {y1} {middle} {y2} {x2} {y2}'
    return f'<path d="{curve}" fill="none" stroke="{colour}" stroke-width="1.5"/>'


def draw():
    parts = [
        text(LEFT, 24, 'what you give: a list of arrays', weight='bold'),
        text(LEFT, 42, '[steps, 3] each', 12, colour='#777'),
        text(BLOCK, 24, 'how they lie in memory', weight='bold'),
        text(BLOCK, 42, 'one block [6, 3], no padding', 12, colour='#777'),
        text(BATCH, 24, 'a batch value beside them', weight='bold'),
        text(BATCH, 42, '[3, 2]: a row for each sequence', 12, colour='#777'),
    ]
    y, at = TOP, 0
    offsets = [0]
    for i, (length, colour) in enumerate(zip(LENGTHS, COLOURS)):
        parts.append(text(LEFT, y + 17, f'#{i}', colour=colour, weight='bold'))
        for t in range(length):
            parts.append(row(LEFT + 30, y + t * CELL, colour))
            parts.append(text(LEFT + 30 + WIDTH * CELL + 8, y + t * CELL + 17, f't = {t}', 11, colour='#777'))
            parts.append(row(BLOCK + 40, TOP + 22 + (at + t) * CELL, colour))
            parts.append(
                text(
                    BLOCK + 40 + WIDTH * CELL + 8,
                    TOP + 22 + (at + t) * CELL + 17,
                    f'row {at + t}',
                    11,
                    colour='#777',
                )
            )
        middle = TOP + 22 + (at + length / 2) * CELL
        parts.append(line(LEFT + 75 + WIDTH * CELL, y + length * CELL / 2, BLOCK + 8, middle, colour))
        parts.append(row(BATCH + 40, TOP + 22 + i * CELL * 2 + 13, colour, 2))
        parts.append(
            line(BLOCK + 90 + WIDTH * CELL, middle, BATCH + 34, TOP + 22 + i * CELL * 2 + 26, colour)
        )
        y += length * CELL + GAP
        at += length
        offsets.append(at)
    parts += [text(BLOCK + 32, TOP + 26 + o * CELL, o, 12, 'end', '#333', 'bold') for o in offsets]
    parts.append(
        text(
            BLOCK,
            TOP + 22 + at * CELL + 32,
            'offsets {}: sequence #i has the rows offsets[i] .. offsets[i + 1]'.format(
                ' '.join(map(str, offsets))
            ),
            12,
            colour='#333',
        )
    )
    height = TOP + 22 + at * CELL + 52
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{0}" viewBox="0 0 760 {0}" '
        'font-family="Helvetica, Arial, sans-serif" role="img">\n'
        '<title>Three sequences of 2, 1 and 3 steps, as a list and in memory</title>\n<rect width="760" '
        'height="{0}" fill="white"/>\n{1}\n</svg>\n'
    ).format(height, '\n'.join(parts))


if __name__ == '__main__':
    print(draw(), end='')
