# SPDX-License-Identifier: Apache-2.0
#
# Pictures of the tables of bench/README.md, for its page of the site. A table of speeds by n, between the
# marks of a measured section, has columns 2^k, and cells such as "3690 / 0.88 / 1.21": GB/s, a share, and
# how many times a peer's speed that is, as the line above the table says. Behind each such table comes a
# picture: GB/s over n, of the peer dashed.
import html
import math
import re

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, LEGEND = 620, 260, 50, 10, 34, 210
MOST_LINES = 16
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2"]


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def counted(cell, what):
    """ "16 threads", but "f32"."""
    if not cell.isdigit() or not what:
        return cell
    return f"{cell} {what[:-1] if cell == '1' else what}"


def curves_of(head, rows, has_peer):
    """(label, whether it is the peer's, points): the figures of each row, in GB/s, at the exponents of n."""
    sizes = {i: int(cell[2:]) for i, cell in enumerate(head) if re.fullmatch(r"2\^\d+", cell)}
    made = []
    for row in rows:
        label = ", ".join(counted(cell, head[i]) for i, cell in enumerate(row[: min(sizes)]) if cell)
        own, peer = [], []
        for i, exponent in sizes.items():
            figures = [float(x) for x in re.findall(r"\d+(?:\.\d+)?", row[i])] if i < len(row) else []
            if figures and figures[0] > 0:
                own.append((exponent, figures[0]))
                if has_peer and len(figures) == 3 and figures[2] > 0:
                    peer.append((exponent, figures[0] / figures[2]))
        made += [(label, False, own), (label, True, peer)]
    return [curve for curve in made if len(curve[2]) > 1]


def picture(caption, curves):
    points = [point for _, _, line in curves for point in line]
    first, last = min(p[0] for p in points), max(p[0] for p in points)
    low = math.floor(math.log10(min(p[1] for p in points)))
    high = math.ceil(math.log10(max(p[1] for p in points)))

    def x(exponent):
        return LEFT + (exponent - first) / (last - first) * (WIDTH - LEFT)

    def y(speed):
        return TOP + (high - math.log10(speed)) / (high - low) * (HEIGHT - TOP - BOTTOM)

    def text(place_x, place_y, words, anchor="middle"):
        return (
            f'<text x="{place_x:.1f}" y="{place_y:.1f}" text-anchor="{anchor}" '
            f'fill="currentColor">{html.escape(words)}</text>'
        )

    labels = list(dict.fromkeys(label for label, _, _ in curves))
    height = max(HEIGHT, TOP + 15 * len(labels) + 20)
    out = [
        f'<svg class="speeds" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + LEGEND} {height}" '
        f'font-family="sans-serif" font-size="11" role="img"><title>{html.escape(caption)}</title>'
    ]
    for decade in range(low, high + 1):
        for step in range(1, 10 if decade < high else 2):
            place = y(step * 10.0**decade)
            width = 0.5 if step == 1 else 0.15
            out.append(
                f'<path d="M{LEFT} {place:.1f}H{WIDTH}" stroke="currentColor" stroke-width="{width}"/>'
            )
        out.append(text(LEFT - 6, y(10.0**decade) + 4, f"{10.0**decade:g}", "end"))
    for exponent in sorted({p[0] for p in points}):
        out.append(text(x(exponent), HEIGHT - BOTTOM + 16, f"2^{exponent}"))
    out.append(text((LEFT + WIDTH) / 2, HEIGHT - 4, "elements; GB/s on the left"))
    for label, is_peer, line in curves:
        place = labels.index(label)
        dash = ' stroke-dasharray="5 4" opacity="0.7"' if is_peer else ""
        path = "L".join(f"{x(e):.1f} {y(s):.1f}" for e, s in line)
        who = f"the peer, {label}" if is_peer else label
        figures = ", ".join(f"2^{e}: {s:.4g}" for e, s in line)
        out.append(
            f'<path d="M{path}" fill="none" stroke="{COLOURS[place % len(COLOURS)]}" '
            f'stroke-width="{1.8 if place < len(COLOURS) else 0.9}"{dash}>'
            f"<title>{html.escape(who)}: {figures} GB/s</title></path>"
        )
    for place, label in enumerate(labels):
        top = TOP + 15 * place + 6
        out.append(
            f'<path d="M{WIDTH + 12} {top}h20" stroke="{COLOURS[place % len(COLOURS)]}" '
            f'stroke-width="{1.8 if place < len(COLOURS) else 0.9}"/>'
        )
        out.append(text(WIDTH + 38, top + 4, label, "start"))
    if any(is_peer for _, is_peer, _ in curves):
        out.append(text(WIDTH + 38, TOP + 15 * len(labels) + 10, "dashed: the peer", "start"))
    return "\n".join(out + ["</svg>"])


def with_plots(page):
    """The page with a picture behind each table of speeds by n."""
    lines, made, i, measured, count = page.split("\n"), [], 0, False, 0
    while i < len(lines):
        mark = re.fullmatch(r"<!-- (/?)[\w-]+ -->", lines[i])
        measured = measured if mark is None else mark[1] == ""
        end = i
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        made += lines[i : max(end, i + 1)]
        table, before = lines[i:end], "" if i < 2 else lines[i - 2]
        i = max(end, i + 1)
        parts = before.partition(": ")[2].split(" / ")
        if not measured or len(table) < 3 or len(table) - 2 > MOST_LINES or not parts[0].startswith("GB/s"):
            continue
        head = cells_of(table[0])
        if sum(cell.startswith("2^") for cell in head) < 3:
            continue
        curves = curves_of(
            head, [cells_of(row) for row in table[2:]], len(parts) == 3 and "times" in parts[2]
        )
        count += 1
        made += ["", "```{raw} html", picture(before.partition(":")[0], curves), "```"]
    if count == 0:
        raise ValueError("bench/README.md has no table of speeds by n")
    return "\n".join(made)
