import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const sources = ['{app,components}/**/*.{ts,tsx}']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .filter((file) => !/\.test\.tsx?$|^app\/(?:api|v1|mcp)\//.test(file));

/** The generic parts of the client, whose type parameter stands for the answer of any route. */
const OF_ANY_ROUTE = String.raw`(?!Answer<|unknown\b|Data\b)`;
/** A request, or a read from the cache of answers, with a type that is not that of a route. */
const GIVEN_TYPE = new RegExp(
  String.raw`(?<!function )\b(?:useSWR(?:Infinite)?|useApi(?:Pages)?|mutate|get|request)<${OF_ANY_ROUTE}`,
);
/** JSON of a response, with an asserted type that is not that of a route. */
const ASSERTED_TYPE = new RegExp(String.raw`\.json\(\)\)? as ${OF_ANY_ROUTE}`);

it('takes the types of answers from the routes in every component', () => {
  const requests = sources.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .map((line, index) => ({ place: `${file}:${index + 1}`, line })),
  );
  expect(requests.filter(({ line }) => /\b(?:useApi|api\.\w+)\(/.test(line)).length).toBeGreaterThan(100);
  const byHand = requests.filter(({ line }) => GIVEN_TYPE.test(line) || ASSERTED_TYPE.test(line));
  expect(byHand.map(({ place, line }) => `${place} ${line.trim()}`)).toEqual([]);
});
