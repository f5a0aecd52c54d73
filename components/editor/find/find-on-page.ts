/** Largest number of matches that are counted. */
export const MAX_MATCHES = 1_000;

/** Elements whose text no reader sees. */
const WITHOUT_TEXT = 'script, style, template, noscript, [hidden], [aria-hidden="true"]';

/** The visible text of one block of a page, and the text nodes that it consists of. */
interface Run {
  text: string;
  readonly nodes: { readonly node: Text; readonly start: number }[];
}

/** The same length in lower case, so that positions stay those of the text. */
function folded(text: string): string {
  const lower = text.replace(/\s/g, ' ').toLowerCase();
  return lower.length === text.length ? lower : text.replace(/\s/g, ' ');
}

/** The innermost element around a text that begins a line of its own. */
function blockOf(node: Node, view: Window): Element | null {
  let element = node.parentElement;
  while (element && /^(?:inline|contents)/.test(view.getComputedStyle(element).display))
    element = element.parentElement;
  return element;
}

/** The part of a page that is searched. */
function searchedPart(page: Document): HTMLElement {
  return page.querySelector('main') ?? page.body;
}

/**
 * Calls `onChange` after each change of the texts that `findOnPage` searches, which may have replaced the text nodes of
 * its matches.
 * @returns function that ends it
 */
export function watchTexts(page: Document, onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(searchedPart(page), { childList: true, characterData: true, subtree: true });
  return () => observer.disconnect();
}

/** The texts of a page in its order, one for each block: a match may cross bold words, but no end of a paragraph. */
function runsOf(page: Document): Run[] {
  const view = page.defaultView;
  if (view === null) return [];
  const walker = page.createTreeWalker(
    searchedPart(page),
    view.NodeFilter.SHOW_ELEMENT | view.NodeFilter.SHOW_TEXT,
    (node) =>
      node instanceof view.Element && node.matches(WITHOUT_TEXT)
        ? view.NodeFilter.FILTER_REJECT
        : view.NodeFilter.FILTER_ACCEPT,
  );
  const runs: Run[] = [];
  let last: Element | null = null;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const run = runs.at(-1);
    if (node instanceof view.Element) {
      if (node.tagName === 'BR' && run) run.text += ' ';
    } else {
      const block = blockOf(node, view);
      if (block !== last || !run) runs.push({ text: '', nodes: [] });
      last = block;
      const present = runs.at(-1);
      present?.nodes.push({ node: node as Text, start: present.text.length });
      if (present) present.text += (node as Text).data;
    }
  }
  return runs;
}

/** The text node at a position of a run. `isEnd`: of a position behind a character rather than before one. */
function pointAt({ nodes }: Run, position: number, isEnd: boolean) {
  const found = nodes.findLast(({ start }) => (isEnd ? start < position : start <= position));
  return found && { node: found.node, offset: Math.min(position - found.start, found.node.length) };
}

/**
 * The places of a text on a page in the order of reading, without regard to upper and lower case: at most one more than
 * `MAX_MATCHES`, which tells that there are more.
 */
export function findOnPage(page: Document, wanted: string): readonly Range[] {
  const text = folded(wanted);
  const found: Range[] = [];
  if (text.trim() === '') return found;
  for (const run of runsOf(page)) {
    const haystack = folded(run.text);
    for (let at = haystack.indexOf(text); at !== -1; at = haystack.indexOf(text, at + text.length)) {
      const [start, end] = [pointAt(run, at, false), pointAt(run, at + text.length, true)];
      if (start && end) {
        const range = page.createRange();
        range.setStart(start.node, start.offset);
        range.setEnd(end.node, end.offset);
        found.push(range);
      }
      if (found.length > MAX_MATCHES) return found;
    }
  }
  return found;
}

/** Names of the highlights of a page. */
const ALL = 'found-text';
const CURRENT = 'found-text-current';
const STYLES = `::highlight(${ALL}){background:#fde68a;color:#1c1917}::highlight(${CURRENT}){background:#ea580c;color:#fff}`;

type PageWindow = Window & typeof globalThis;

/**
 * Marks the matches on a page without changing it. Browsers without highlights only show the current one, as selected
 * text.
 * @returns function that removes the marks
 */
export function markMatches(page: Window, matches: readonly Range[], current: Range | undefined): () => void {
  const view = page as PageWindow;
  if (!('Highlight' in view)) {
    const selection = page.getSelection();
    selection?.removeAllRanges();
    if (current) selection?.addRange(current);
    return () => page.getSelection()?.removeAllRanges();
  }
  const sheet = new view.CSSStyleSheet();
  sheet.replaceSync(STYLES);
  page.document.adoptedStyleSheets.push(sheet);
  view.CSS.highlights.set(ALL, new view.Highlight(...matches));
  const marked = new view.Highlight(...(current ? [current] : []));
  marked.priority = 1;
  view.CSS.highlights.set(CURRENT, marked);
  return () => {
    page.document.adoptedStyleSheets = page.document.adoptedStyleSheets.filter((other) => other !== sheet);
    view.CSS.highlights.delete(ALL);
    view.CSS.highlights.delete(CURRENT);
  };
}

/** Scrolls a match into view, and opens what hides it. */
export function showMatch(page: Window, range: Range): void {
  const element = range.startContainer.parentElement;
  for (let fold = element?.closest('details'); fold; fold = fold.parentElement?.closest('details')) fold.open = true;
  const { top, bottom } = range.getBoundingClientRect();
  const isSeen = top >= 0 && bottom <= page.innerHeight;
  if (!isSeen) page.scrollBy({ top: top - page.innerHeight / 3, behavior: 'instant' });
}
