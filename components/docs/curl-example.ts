import type { ApiOperation } from '#server/core/api-document';

/** Example call from a shell. `origin`: address of this server, such as `https://example.org`. */
export function curlExample(
  method: string,
  path: string,
  { parameters = [], requestBody, security }: ApiOperation,
  origin: string,
): string {
  const given = (where: 'path' | 'query') =>
    parameters.flatMap((each) => (each.in === where && each.example !== undefined ? [[each.name, each.example]] : []));
  const address = given('path').reduce((text, [name = '', example = '']) => text.replace(`{${name}}`, example), path);
  const query = new URLSearchParams(given('query')).toString();
  const url = `'${origin}${address}${query === '' ? '' : `?${query}`}'`;
  const json = requestBody?.content['application/json']?.example;
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${url}`,
    ...(security.some((each) => 'apiKey' in each) ? [`-H "Authorization: Bearer $THROUGHLINE_KEY"`] : []),
    ...(json === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${quoted(JSON.stringify(json))}'`]),
    ...(requestBody && '*/*' in requestBody.content ? ['--data-binary @picture.png'] : []),
  ];
  return lines.join(' \\\n  ');
}

/** Escapes a text for single quotes of a shell. */
function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}
