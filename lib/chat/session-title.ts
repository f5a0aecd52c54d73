const MAX_LENGTH = 60;

/** A conversation's first title: the first line of its first message, cut at a word. */
export function titleFrom(text: string): string {
  const line = (text.trim().split('\n')[0] ?? '').trim().replaceAll(/\s+/g, ' ');
  if (line.length <= MAX_LENGTH) return line;
  const cut = line.slice(0, MAX_LENGTH - 1);
  const space = cut.lastIndexOf(' ');
  return `${cut.slice(0, space > MAX_LENGTH / 2 ? space : undefined).trimEnd()}…`;
}
