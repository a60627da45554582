// A board's picture as Black sees it: the server draws White below, so the squares are turned and every piece is
// turned back. The letters and numbers at the edge are left out.

/** Turns a picture of a board with so many files and ranks; as SVG text. */
export function turned(svg: string, files: number, ranks: number): string {
  const [before, board, after] = parts(svg);
  const back = board.replace(
    /<use ([^>]*?)x="(\d+)" y="(\d+)"\/>/g,
    (_, head: string, x: string, y: string) =>
      `<use ${head}x="${x}" y="${y}" transform="rotate(180 ${Number(x) + 50} ${Number(y) + 50})"/>`,
  );
  return `${before}<g transform="rotate(180 ${files * 50} ${ranks * 50})">${back}</g>${after}`;
}

/** What stands before the board's content, the content, and what closes the picture. */
function parts(svg: string): [string, string, string] {
  const open = /<\/defs>\s*<g [^>]*>/.exec(svg);
  if (!open) return [svg, '', ''];
  const from = open.index + open[0].length;
  const to = svg.indexOf('</g>', from);
  return [svg.slice(0, from), svg.slice(from, to), '</g></svg>'];
}

const kept = new Map<string, Promise<string>>();

/** Address of a picture turned; the address itself while that cannot be had. */
export function turnedPicture(address: string, files: number, ranks: number): Promise<string> {
  let made = kept.get(address);
  if (!made) {
    made = fetch(address)
      .then((answer) => (answer.ok ? answer.text() : Promise.reject(new Error(String(answer.status)))))
      .then((svg) => `data:image/svg+xml,${encodeURIComponent(turned(svg, files, ranks))}`)
      .catch(() => {
        kept.delete(address);
        return address;
      });
    kept.set(address, made);
  }
  return made;
}
