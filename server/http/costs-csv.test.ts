import { expect, it } from 'vitest';
import type { CostRow, Costs } from '#server/core/spending';
import { costsCsv } from '#server/http/csv';

const amounts = {
  calls: 3,
  inputTokens: 1_000,
  outputTokens: 50,
  cacheReadTokens: 400,
  cost: 2.55,
  estimated: 0,
  unpriced: 0,
  cacheSaved: 0.1,
  compactionSaved: 0.2,
};

it('is a table that a spreadsheet opens, in which a title is a title', () => {
  const row = (key: string, name: string | null): CostRow => ({ key, name, ...amounts });
  const rows = [
    row('ses_1', 'Tables, chairs and "more"'),
    row('ses_2', '=HYPERLINK("https://evil.example")'),
    row('', null),
  ];
  const costs: Costs = {
    from: '2026-11-01',
    to: '2026-11-26',
    by: 'conversation',
    total: { ...amounts, summaries: 0 },
    rows,
    isCut: false,
  };
  const [head, ...lines] = costsCsv(costs).split('\r\n');
  expect(head).toMatch(/^conversation,name,calls,input tokens,.*cost \(USD\)/);
  const figures = '3,1000,400,50,2.55,0,0,0.1,0.2';
  expect(lines).toEqual([
    `ses_1,"Tables, chairs and ""more""",${figures}`,
    `ses_2,"'=HYPERLINK(""https://evil.example"")",${figures}`,
    `,,${figures}`,
    '',
  ]);
});
