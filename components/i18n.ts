import {
  type _Translator,
  createTranslator,
  type MarkupTranslationValues,
  type NamespaceKeys,
  type NestedKeyOf,
  type RichTranslationValues,
  type TranslationValues,
} from 'use-intl/core';
import { type Messages, currentLanguage } from '#components/language.ts';
import { english } from '#components/english-messages.ts';

/** A part of the messages: `sidebar`, `library.media`. */
export type Namespace = NamespaceKeys<Messages, NestedKeyOf<Messages>>;

/**
 * Renders messages: `t('count', { count: 2 })`, with elements as `t.rich('hint', { b: (text) => <b>{text}</b> })`. An
 * unknown key, or a value that is missing, is reported on the console, and the key is shown.
 */
export type Translate<Name extends Namespace> = _Translator<Messages, Name> & {
  /** The text of a key that comes from outside, such as a code of the server; undefined if there is none. */
  readonly find: (key: string) => string | undefined;
};

/** Translators of all messages, by the messages: a server renders pages in several languages. */
const translators = new Map<object, _Translator>();

/**
 * The messages of a namespace in the current language, which is looked up at each call: a translator may be made at the
 * top of a module, but a text must be rendered when it is shown.
 *
 * Numbers, amounts and dates with a format of their own are passed as texts of `components/format.ts`; `{n, number}` and
 * plurals write whole numbers in the same way.
 */
export function translator<const Name extends Namespace>(namespace: Name): Translate<Name> {
  const path = (key: string) => `${namespace}.${key}`;
  const t = (key: string, values?: TranslationValues) => all()(path(key), values);
  const others = {
    rich: (key: string, values?: RichTranslationValues) => all().rich(path(key), values),
    markup: (key: string, values?: MarkupTranslationValues) => all().markup(path(key), values),
    raw: (key: string) => all().raw(path(key)) as unknown,
    has: (key: string) => all().has(path(key)),
    find: (key: string) => (isText(currentMessages(), path(key)) ? all()(path(key)) : undefined),
  };
  // Keys and values are checked by the types of the English messages.
  return Object.assign(t, others) as unknown as Translate<Name>;
}

/** The translator of all messages in the current language. */
function all(): _Translator {
  const messages = currentMessages();
  const { code } = currentLanguage();
  // British English for English, as for dates (components/format.ts).
  const known = translators.get(messages) ?? createTranslator({ locale: code === 'en' ? 'en-GB' : code, messages });
  translators.set(messages, known);
  return known;
}

function currentMessages(): Readonly<Record<string, unknown>> {
  return currentLanguage().messages ?? english ?? {};
}

/** True if there is a text at a path of own properties. */
function isText(messages: unknown, path: string): boolean {
  const text = path.split('.').reduce<unknown>((within, name) => {
    const properties = Object(within) as object;
    return Object.hasOwn(properties, name) ? Reflect.get(properties, name) : undefined;
  }, messages);
  return typeof text === 'string';
}
