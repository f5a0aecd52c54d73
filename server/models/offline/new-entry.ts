import type { EntryType } from '#server/core/content';
import { valueOf } from '#server/models/offline/grammar';
import type { Clause } from '#server/models/offline/grammar';
import { nameOf } from '#server/models/offline/names';
import type { Request, RequestOf } from '#server/models/offline/requests';

type Options = Partial<Record<'about' | 'text' | 'slug' | 'excerpt' | 'author' | 'tags', string>>;

/** `about` stands in lower case: "All About Bread" is a title. */
const OPTION =
  / (?:(?<about>about)|saying|that says|(?:and|with)(?: the| an| a)? (?<option>text|body|content|slug|excerpt|author|tags?)(?: of| as|:)?) /g;

/** Reads what follows "create a page": its name, then `about ...`, `with the text ...` and other options. */
export function readNewEntry(type: EntryType, rest: string, quotes: Clause['quotes']): Request | null {
  const found = [...`${rest} `.matchAll(OPTION)];
  const name = rest
    .slice(0, found[0]?.index)
    .replace(/^,? (?:called|named|titled|entitled|for|with the (?:title|name)) /i, ' ');
  const options: Options = {};
  for (const [index, match] of found.entries()) {
    const value = rest.slice(match.index + match[0].length, found[index + 1]?.index);
    options[optionOf(match.groups ?? {})] ??= value;
  }
  const about = options.about === undefined ? undefined : valueOf(options.about, quotes);
  const title = name.trim() === '' ? capitalized(about ?? '') : nameOfNew(name, quotes);
  if (title === '') return null;
  return {
    intent: 'create',
    type,
    title,
    ...(about === undefined ? {} : { about }),
    ...(options.text === undefined ? {} : { text: valueOf(options.text, quotes) }),
    details: readDetails(options, quotes),
  };
}

/** The tags in `a, b and c` or `"a, b"`. */
export function tagsOf(text: string, quotes: Clause['quotes']): string[] {
  return text
    .split(/, and |, | and /i)
    .flatMap((piece) => valueOf(piece, quotes).split(/, ?/))
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

function optionOf({ about, option }: Readonly<Record<string, string | undefined>>): keyof Options {
  if (about !== undefined) return 'about';
  switch (option) {
    case 'slug':
    case 'excerpt':
    case 'author':
      return option;
    case 'tag':
    case 'tags':
      return 'tags';
    default:
      return 'text';
  }
}

function readDetails(options: Options, quotes: Clause['quotes']): RequestOf<'create'>['details'] {
  const details: RequestOf<'create'>['details'] = {};
  for (const name of ['slug', 'excerpt', 'author'] as const) {
    if (options[name] !== undefined) details[name] = valueOf(options[name], quotes);
  }
  if (options.tags !== undefined) details.tags = tagsOf(options.tags, quotes);
  return details;
}

/** A title in quotation marks is taken as it is; one without keeps its "the". */
function nameOfNew(name: string, quotes: Clause['quotes']): string {
  const value = valueOf(name, quotes);
  return value === '' ? nameOf(name, quotes) : value;
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
