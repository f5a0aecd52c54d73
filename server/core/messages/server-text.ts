import english from '#messages/en.json' with { type: 'json' };
import type { MessageParam, ServerText } from '#server/core/coded-message';
import type { MessageCode, messageParams } from '#server/core/messages/message-codes';
import { messageRenderer } from '#server/core/messages/render-message';
import type { JsonValue } from '#server/core/json';

/** British dates: the day before the month. */
const render = messageRenderer('en-GB', english.server);

type NameTable = 'document' | 'kept' | 'mark' | 'setting' | 'variable' | 'wordpressStatus';

/** Name of a unit; its text for people is a message. */
export type UnitName = keyof (typeof english.server)['unit'];

/** A text in a table of the messages: a name as a part of a sentence, or the description of a setting or variable. */
export function nameText<Table extends NameTable>(
  table: Table,
  name: keyof (typeof english.server)[Table] & string,
): ServerText {
  const code = `${table}.${name}`;
  return { code, params: {}, text: render({ code, params: {} }) ?? name };
}

/** The parameters of a code, each with its value. */
type ParamsOf<Code extends MessageCode> = Readonly<Record<(typeof messageParams)[Code][number], MessageParam>>;

/** A sentence of the server: its code, its parameters and its English text. Code that runs in the browser does not use it. */
export function serverText<Code extends MessageCode>(
  code: Code,
  ...[params]: (typeof messageParams)[Code] extends readonly [] ? [] : [params: ParamsOf<Code>]
): ServerText {
  const values = (params ?? {}) as Readonly<Record<string, MessageParam & JsonValue>>;
  return { code, params: values, text: render({ code, params: values }) ?? code };
}
