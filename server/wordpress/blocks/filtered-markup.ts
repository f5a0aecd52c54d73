import { delimitersOf } from '#server/wordpress/blocks/source/block-scan';

/* What WordPress removes from the content of a user without the right `unfiltered_html`. It filters the whole content
   with every save, even where nothing changed (wp_filter_post_kses). The rules are those of wp-includes/kses.php of
   WordPress 6.1, and the tables are the output of wp_kses_allowed_html('post'); tests/peers compares both with
   WordPress. A plugin may allow more. */

const words = (text: string) => text.split(' ');

/** Attributes that every element may have, in addition to `data-…`. */
const COMMON = new Set(
  words(
    'aria-describedby aria-details aria-label aria-labelledby aria-hidden class dir id lang style title role xml:lang',
  ),
);

const CELL = 'abbr align axis bgcolor char charoff colspan headers height nowrap rowspan scope valign width';

/** Elements with the attributes that they may have beyond the common ones. */
const ELEMENTS = new Map<string, ReadonlySet<string>>(
  [
    ...words(
      'address abbr acronym b bdo big br cite code dd dfn dl dt em fieldset i kbd mark rb rp rt rtc ruby s samp small strike strong sub sup title tt u var',
    ).map((name) => [name, ''] as const),
    ...words(
      'article aside div figure figcaption footer h1 h2 h3 h4 h5 h6 header hgroup legend main nav p section span summary',
    ).map((name) => [name, 'align'] as const),
    ...words('tbody tfoot thead').map((name) => [name, 'align char charoff valign'] as const),
    ...words('td th').map((name) => [name, CELL] as const),
    ...words('col colgroup').map((name) => [name, 'align char charoff span valign width'] as const),
    ['a', 'href rel rev name target download'],
    ['area', 'alt coords href nohref shape target'],
    ['audio', 'autoplay controls loop muted preload src'],
    ['blockquote', 'cite'],
    ['button', 'disabled name type value'],
    ['caption', 'align'],
    ['del', 'datetime'],
    ['details', 'align open'],
    ['font', 'color face size'],
    ['hr', 'align noshade size width'],
    ['img', 'alt align border height hspace loading longdesc vspace src usemap width'],
    ['ins', 'datetime cite'],
    ['label', 'for'],
    ['li', 'align value'],
    ['map', 'name'],
    ['menu', 'type'],
    ['ol', 'start type reversed'],
    ['pre', 'width'],
    ['q', 'cite'],
    ['table', 'align bgcolor border cellpadding cellspacing rules summary width'],
    ['textarea', 'cols rows disabled name readonly'],
    ['tr', 'align bgcolor char charoff valign'],
    ['track', 'default kind label src srclang'],
    ['ul', 'type'],
    ['video', 'autoplay controls height loop muted playsinline poster preload src width'],
  ].map(([name, attributes]) => [name, new Set(words(attributes))]),
);

/** The allowed CSS properties; only later versions of WordPress allow `aspect-ratio` and those after it. */
const PROPERTY =
  /^(?:--[\w-]+|background(?:-(?:color|image|position|size|attachment|blend-mode|repeat))?|border(?:-.+)?|caption-side|columns?(?:-(?:count|fill|gap|rule|span|width))?|color|filter|font(?:-(?:family|size|style|variant|weight))?|letter-spacing|line-height|text-(?:align|decoration|indent|transform)|(?:min-|max-)?(?:height|width)|(?:margin|padding)(?:-.+)?|flex(?:-.+)?|gap|row-gap|grid-.+|(?:justify|align)-(?:content|items|self)|clear|cursor|direction|float|list-style-type|object-(?:fit|position)|overflow|vertical-align|aspect-ratio|box-shadow|position|top|right|bottom|left|z-index|writing-mode)$/;

const PROTOCOLS = new Set(
  words(
    'http https ftp ftps mailto news irc irc6 ircs gopher nntp feed telnet mms rtsp sms svn tel fax xmpp webcal urn',
  ),
);
const ADDRESSES = new Set(words('action cite data href longdesc poster src usemap'));

const TAG = /^<\s*(\/\s*)?([a-zA-Z0-9-]+)([^>]*)>?$/;
const ATTRIBUTE = /\s*([_a-zA-Z][-_a-zA-Z0-9:.]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+)))?(?=\s|\/?$)/y;

function isAddressKept(value: string): boolean {
  const end = /:|&#58;|&#x3a;|&colon;/i.exec(value)?.index;
  const scheme = value.slice(0, end ?? 0).replaceAll(/\s/g, '');
  return end === undefined || scheme.includes('/?') || PROTOCOLS.has(scheme.toLowerCase());
}

/** A CSS value without the calls of functions that are allowed with any arguments. */
function withoutFunctions(value: string): string {
  let rest = '';
  let done = 0;
  for (const { index, 0: opening } of value.matchAll(/\b(?:var|calc|min|max|minmax|clamp)\(/g)) {
    if (index < done) continue;
    let depth = 1;
    let end = index + opening.length;
    for (; depth > 0 && end < value.length; end += 1) depth += value[end] === '(' ? 1 : value[end] === ')' ? -1 : 0;
    if (depth > 0) break;
    rest += value.slice(done, index);
    done = end;
  }
  return rest + value.slice(done);
}

function isDeclarationKept(declaration: string): boolean {
  const at = declaration.indexOf(':');
  if (at < 0) return true;
  const [property, value] = [declaration.slice(0, at).trim(), declaration.slice(at + 1).trim()];
  if (!PROPERTY.test(property)) return false;
  const isPicture = /^(?:background|background-image|cursor|--.*)$/.test(property);
  const addresses = isPicture ? [...value.matchAll(/url\(\s*(['"]?)([^)]*?)\1\s*\)/g)] : [];
  if (addresses.some(([, , address = '']) => address === '' || !isAddressKept(address))) return false;
  let rest = addresses.reduce((text, [whole]) => text.replace(whole, ''), value);
  if (isPicture && /^(?:repeating-)?(?:linear|radial|conic)-gradient\((?:[^()]|rgba?\([^()]*\))*\)$/.test(value))
    rest = '';
  rest = withoutFunctions(rest);
  return !/[\\(&=}]|\/\*/.test(rest);
}

function isStyleKept(style: string): boolean {
  return style
    .replaceAll(/&quot;/g, '"')
    .replaceAll(/&(?:#0?39|apos);/g, "'")
    .split(';')
    .every((declaration) => isDeclarationKept(declaration.trim()));
}

function isAttributeKept(element: ReadonlySet<string>, name: string, value: string): boolean {
  if (/^data(?:-[a-z0-9_]+)+$/.test(name)) return true;
  if (!COMMON.has(name) && !element.has(name)) return false;
  if (name === 'style') return isStyleKept(value);
  return !ADDRESSES.has(name) || isAddressKept(value);
}

/** The part of a tag that is removed; undefined: nothing. */
function filteredTag(tag: string): string | undefined {
  const [, slash, name = '', list = ''] = TAG.exec(tag) ?? [];
  const element = ELEMENTS.get(name.toLowerCase());
  if (element === undefined) return /^[a-z]/i.test(name) ? `<${name.toLowerCase()}>` : '<';
  if (slash !== undefined) return undefined;
  const attributes = list.replace(/\s*\/?\s*$/, '');
  ATTRIBUTE.lastIndex = 0;
  for (let done = 0; done < attributes.length; done = ATTRIBUTE.lastIndex) {
    const found = ATTRIBUTE.exec(attributes);
    if (found === null) return `<${name.toLowerCase()} ${attributes.slice(done).trim().slice(0, 20)}>`;
    const [, attribute = '', double, single, bare] = found;
    if (!isAttributeKept(element, attribute.toLowerCase(), double ?? single ?? bare ?? ''))
      return `<${name.toLowerCase()} ${attribute.toLowerCase()}>`;
  }
  return undefined;
}

/**
 * The comments and tags of a text as WordPress's `wp_kses_split` finds them with
 * `<!--.*?(-->|$)|<[^>]*(>|$)`: a comment ends in its line, or it is a tag. The pattern itself would search the line
 * again from each comment that does not end in it.
 */
function* markupIn(html: string): Generator<string> {
  const last = html.endsWith('\n') ? html.length - 1 : html.length;
  let [close, line] = [-1, -1];
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    let end = -1;
    if (html.startsWith('<!--', at)) {
      if (close < at + 4) close = indexFrom(html, '-->', at + 4);
      if (line < at) line = Math.min(indexFrom(html, '\n', at), last);
      if (close < line) end = close + 3;
      else if (line === last) end = last;
    }
    if (end === -1) end = Math.min(indexFrom(html, '>', at) + 1, html.length);
    yield html.slice(at, end);
    at = end;
  }
}

/** Like `indexOf`, but the length of the text where there is none. */
function indexFrom(text: string, wanted: string, start: number): number {
  const at = text.indexOf(wanted, start);
  return at === -1 ? text.length : at;
}

function addFiltered(html: string, found: Set<string>): void {
  for (const markup of markupIn(html)) {
    const isComment = markup.startsWith('<!--') && markup.endsWith('-->');
    if (isComment) {
      const inside = markup.slice(4, -3);
      if (!/^\s*\/?wp:/.test(inside)) addFiltered(inside, found);
      continue;
    }
    const filtered = filteredTag(markup);
    if (filtered !== undefined) found.add(filtered);
  }
}

/** The texts in a JSON value, names of properties included. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    yield name;
    yield* textsIn(inner);
  }
}

function attributesIn(delimiter: string): unknown {
  try {
    return JSON.parse(delimiter.slice(delimiter.indexOf('{'), delimiter.lastIndexOf('}') + 1));
  } catch {
    return null;
  }
}

/**
 * The parts of a content that WordPress would remove when a user without the right `unfiltered_html` saves it:
 * `<script>`, `<div onclick>`. Empty: nothing. Changes that only alter the notation (entities, quotation marks) do not
 * count.
 */
export function filteredMarkup(raw: string): string[] {
  const found = new Set<string>();
  addFiltered(raw, found);
  for (const { start, end, kind } of delimitersOf(raw)) {
    const delimiter = raw.slice(start, end);
    if (kind === 'closer' || !/<|\\u003c/i.test(delimiter.slice(4))) continue;
    for (const text of textsIn(attributesIn(delimiter))) addFiltered(text, found);
  }
  return [...found];
}
