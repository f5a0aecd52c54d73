import addressparser from 'nodemailer/lib/addressparser';

/** Name and address of a sender. The name may be empty. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}

/** An address without quotes, comments or lists: what every mail server accepts in MAIL FROM. */
const ADDRESS = /^[^\s<>@,;:"()]+@[^\s<>@,;:"()]+$/;

/** The display name as it was written, with the quoting of RFC 5322 removed. */
function writtenName(text: string): string {
  const name = text.slice(0, text.lastIndexOf('<')).trim();
  return /^".*"$/s.test(name) ? name.slice(1, -1).replaceAll(/\\(.)/g, '$1') : name;
}

/**
 * Reads a sender such as `Club <post@club.example>` with the parser of the mail library.
 *
 * @returns null when the text is not exactly one address, or when the library would change the name: a group (`Shop:
 * Kiln <…>`), a list, a comment in parentheses or an unbalanced quote. Such a name must be in double quotes.
 */
export function parseSender(text: string): Sender | null {
  const written = text.trim();
  if (ADDRESS.test(written)) return { name: '', address: written };
  const [found, ...more] = addressparser(written);
  // A group has no address.
  const { name, address = '' }: { name?: string; address?: string | undefined } = found ?? {};
  if (more.length > 0) return null;
  if (!ADDRESS.test(address) || !written.endsWith(`<${address}>`) || name !== writtenName(written)) return null;
  return /\p{Cc}/u.test(name) ? null : { name, address };
}
