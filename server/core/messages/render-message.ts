import { createTranslator } from 'use-intl/core';
import type { CodedMessage } from '#server/core/coded-message';
import { isServerText } from '#server/core/message-data';

/** Writes a sentence in one language; null if its code is unknown there, or a parameter is missing. */
export type MessageRenderer = (message: CodedMessage) => string | null;

/** Formats that the messages name: `{time, date, moment}`, `{time, time, clock}`. */
const formats = {
  dateTime: {
    moment: {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
    },
    clock: { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
    utc: {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZone: 'UTC',
      timeZoneName: 'short',
    },
  },
} as const;

/** Texts in ICU syntax by code; a table has names, for example `field` those of fields, with codes like `field.title`. */
export type Messages = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** Separators of lists whose parts are whole sentences, or contain commas. Other lists are written as `a, b and c`. */
const SEPARATORS: Readonly<Partial<Record<string, string>>> = {
  appears: ', ',
  attempts: '\n',
  entries: ' ',
  changes: '; ',
  lines: '\n',
  needs: ', ',
  places: '; ',
  path: ' › ',
  problems: '; ',
  targets: ', ',
};

/**
 * A renderer of coded messages.
 * @param locale for numbers, dates, lists and plurals: `en-GB`
 */
export function messageRenderer(locale: string, messages: Messages): MessageRenderer {
  const translate = createTranslator({
    locale,
    messages,
    formats,
    onError: (error) => {
      throw error;
    },
  });
  const list = new Intl.ListFormat(locale);
  const valueOf = (name: string, param: unknown): string | number => {
    if (typeof param === 'string' || typeof param === 'number') return param;
    if (Array.isArray(param)) {
      const parts = param.map((part) => String(valueOf(name, part)));
      const separator = Object.hasOwn(SEPARATORS, name) ? SEPARATORS[name] : undefined;
      return separator === undefined ? list.format(parts) : parts.join(separator);
    }
    if (isServerText(param)) return render(param) ?? param.text;
    // Messages choose by these with `select`.
    return typeof param === 'boolean' ? String(param) : 'none';
  };
  const render: MessageRenderer = ({ code, params }) => {
    if (!isKnown(messages, code)) return null;
    const values = Object.fromEntries(Object.entries(params).map(([name, param]) => [name, valueOf(name, param)]));
    try {
      return translate(code as never, values as never);
    } catch {
      return null;
    }
  };
  return render;
}

/** True for the code of a text, or of a name in a table. */
function isKnown(messages: Messages, code: string): boolean {
  const [table, name] = code.split('.', 2) as [string, string | undefined];
  const found = Object.hasOwn(messages, table) ? messages[table] : undefined;
  if (name === undefined || typeof found !== 'object') return name === undefined && typeof found === 'string';
  return code === `${table}.${name}` && Object.hasOwn(found, name);
}
