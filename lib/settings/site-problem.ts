import { messageOf } from '#lib/ui/message-of';
import { siteStrings } from '#lib/strings/sites';

const { url, username, password } = siteStrings.form;
const labels: Readonly<Record<string, string>> = { url, username, password };

/** Why a site was not taken, with the field as the form calls it. */
export function siteProblem(error: unknown): string {
  const message = messageOf(error);
  return message.replace(/^Invalid body, "(\w+)": /, (_, field: string) => `${labels[field] ?? field}: `);
}
