import { createTranslator } from 'use-intl/core';
import type { CodedMessage, ServerText } from '#server/core/coded-message';
import { isCodedMessage } from '#server/core/message-data';

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
  },
} as const;

/**
 * A renderer of coded messages.
 * @param locale for numbers, dates, lists and plurals: `en-GB`
 * @param messages in ICU syntax, by code
 */
export function messageRenderer(locale: string, messages: Readonly<Record<string, string>>): MessageRenderer {
  const translate = createTranslator({
    locale,
    messages,
    formats,
    onError: (error) => {
      throw error;
    },
  });
  const list = new Intl.ListFormat(locale);
  const valueOf = (param: unknown): string | number => {
    if (typeof param === 'string' || typeof param === 'number') return param;
    if (Array.isArray(param)) {
      const parts = param.map((part) => String(valueOf(part)));
      return param.some(isText) ? parts.join(' ') : list.format(parts);
    }
    if (isText(param)) return render(param) ?? param.text;
    // Messages choose by these with `select`.
    return typeof param === 'boolean' ? String(param) : 'none';
  };
  const render: MessageRenderer = ({ code, params }) => {
    if (!Object.hasOwn(messages, code)) return null;
    const values = Object.fromEntries(Object.entries(params).map(([name, param]) => [name, valueOf(param)]));
    try {
      return translate(code, values);
    } catch {
      return null;
    }
  };
  return render;
}

function isText(param: unknown): param is ServerText {
  return isCodedMessage(param) && 'text' in param && typeof param.text === 'string';
}
