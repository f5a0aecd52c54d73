/** What every client is asked, turn by turn: about 1,200 tokens each. */
export const turns = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `Turn ${index}.${` glaze and clay of kiln ${index}`.repeat(200)}`);

/** Turns that together are several times the window of 16,000 tokens. */
export const TURNS = 36;

export const MODEL = 'openai/gpt-4o';
export const TOOL = 'read_page';
export const pageOf = (slug: string) => `Page ${slug}.${' A bowl on a shelf.'.repeat(100)}`;
