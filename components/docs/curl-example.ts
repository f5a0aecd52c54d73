import type { ApiOperation } from '#server/core/api-document';
import type { JsonValue } from '#server/core/json';

/** Names of files for examples of uploads, by media type. */
const SAMPLE_FILES: Readonly<Record<string, string>> = { 'image/png': 'picture.png', 'application/xml': 'site.xml' };

/** Example call from a shell. `origin`: address of this server, such as `https://example.org`. */
export function curlExample(
  method: string,
  path: string,
  { parameters = [], requestBody, security }: ApiOperation,
  origin: string,
): string {
  const given = (where: 'path' | 'query') =>
    parameters.flatMap((each) =>
      each.in === where && each.example !== undefined ? [[each.name, textOf(each.example)]] : [],
    );
  const address = given('path').reduce((text, [name = '', example = '']) => text.replace(`{${name}}`, example), path);
  const query = new URLSearchParams(given('query')).toString();
  const url = `'${origin}${address}${query === '' ? '' : `?${query}`}'`;
  const json = requestBody?.content['application/json']?.example;
  const fileType = Object.entries(requestBody?.content ?? {}).find(([, { schema }]) => schema.format === 'binary')?.[0];
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${url}`,
    ...(security.some((each) => 'apiKey' in each) ? [`-H "Authorization: Bearer $THROUGHLINE_KEY"`] : []),
    ...(json === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${quoted(JSON.stringify(json))}'`]),
    ...(fileType === undefined
      ? []
      : [`-H 'Content-Type: ${fileType}'`, `--data-binary @${SAMPLE_FILES[fileType] ?? 'file'}`]),
  ];
  return lines.join(' \\\n  ');
}

/** The text of an example in an address. */
function textOf(example: JsonValue): string {
  return typeof example === 'string' ? example : JSON.stringify(example);
}

/** Escapes a text for single quotes of a shell. */
function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}
