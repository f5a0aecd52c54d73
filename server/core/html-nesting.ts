/** Elements that may stand inside one another; page builders nest about 40, and whatever walks a tree is recursive. */
const MAX_DEPTH = 200;
/** Elements that a parser may have to repeat, see below; what people write has a few. */
const MAX_REPEATED = 100_000;

/** Elements without an end tag, or with one that everybody leaves out. */
const UNCLOSED = new Set(
  'area base br col embed hr img input link meta source track wbr p li td th tr dt dd option thead tbody'.split(' '),
);
/** What a parser opens again in every block that follows, until it is closed. */
const REPEATED = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '));
/** Elements in which end tags of others mean nothing. */
const DEAF = new Set('select template textarea title style script xmp iframe noembed noframes svg math'.split(' '));

/** A tag, a comment, or what a parser takes for one (`<!x>`, `<?x>`, `</ x>`). */
const TAG_START = /<(?:(\/?)([a-zA-Z][^\s/>]*)|!--|[!?]|\/(?=[^>]))/g;
const COMMENT_END = /-?>|[^]*?--!?>/y;
const PSEUDO_END = /[^>]*>/y;
const TAG_END = /(?:"[^"]*"|'[^']*'|[^"'>])*>/y;

/** Where what begins with `start`, which ends at `from`, ends itself; null where it never does. */
function endOf(html: string, start: string, from: number): number | null {
  const end = start === '<!--' ? COMMENT_END : /[a-z]/i.test(start) ? TAG_END : PSEUDO_END;
  end.lastIndex = from;
  return end.test(html) ? end.lastIndex : null;
}

/**
 * Whether elements nest deeper than we walk, or so that a parser would make many more elements than there are tags
 * (`<p><b id=1><p><b id=2>...` has n * n of them: 16 kB take seconds and a gigabyte). Told from the tags alone.
 */
export function nestsTooDeep(html: string): boolean {
  const open = new Map<string, number>();
  let depth = 0;
  let toRepeat = 0;
  let repeated = 0;
  let deaf: string | null = null;
  TAG_START.lastIndex = 0;
  for (let tag = TAG_START.exec(html); tag !== null; tag = TAG_START.exec(html)) {
    const name = tag[2]?.toLowerCase();
    const end = endOf(html, tag[0], TAG_START.lastIndex);
    // What never ends swallows the rest; to look on from every such place would take forever.
    if (end === null) return false;
    TAG_START.lastIndex = end;
    if (name === undefined) continue;
    repeated += toRepeat;
    if (repeated > MAX_REPEATED) return true;
    if (UNCLOSED.has(name)) continue;
    const isEnd = tag[1] !== '';
    if (isEnd && deaf !== null && name !== deaf) continue;
    if (DEAF.has(name)) deaf = isEnd ? null : (deaf ?? name);
    const count = open.get(name) ?? 0;
    const step = isEnd ? (count > 0 ? -1 : 0) : 1;
    open.set(name, count + step);
    depth += step;
    if (REPEATED.has(name)) toRepeat += step;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
