import { expect, it } from 'vitest';
import type { CostRow, Costs } from '#server/core/admin/spending';
import { costsCsv } from '#server/http/downloads/costs-csv';
import { submissionsCsv } from '#server/http/downloads/submissions-csv';
import type { Submission } from '#server/core/site/submissions';

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
  expect(head).toMatch(/^\ufeffconversation,name,calls,input tokens,.*cost \(USD\)/);
  const figures = '3,1000,400,50,2.55,0,0,0.1,0.2';
  expect(lines).toEqual([
    `ses_1,"Tables, chairs and ""more""",${figures}`,
    `ses_2,"'=HYPERLINK(""https://evil.example"")",${figures}`,
    `,,${figures}`,
    '',
  ]);
});

const sent = (answers: readonly (readonly [string, string])[]): Submission => ({
  id: 'sub_01h0000000000000000000000a',
  entryId: 'pag_bcdfgh',
  sectionId: 'sec_bcdfgh',
  pageTitle: 'Contact',
  formTitle: 'Write, "please"',
  answers: answers.map(([label, value]) => ({ label, kind: 'text', value })),
  isRead: false,
  mail: 'none',
  mailError: null,
  mailErrorMessage: null,
  createdAt: Date.UTC(2026, 10, 26, 12),
});

it('is a table with a column for each label, in which nothing runs that a visitor wrote', async () => {
  async function* pages() {
    yield [
      sent([
        ['Name', 'Mara'],
        ['Message', '=HYPERLINK("https://evil.example")'],
      ]),
    ];
    yield [
      sent([
        ['Name', '-1+1'],
        ['Colour', 'a,b\nc'],
      ]),
    ];
  }
  let text = '';
  for await (const piece of submissionsCsv(pages)) text += piece;
  expect(text.split('\r\n')).toEqual([
    '\ufeffReceived,Page,Form,Name,Message,Colour',
    '2026-11-26T12:00:00.000Z,Contact,"Write, ""please""",Mara,"\'=HYPERLINK(""https://evil.example"")",',
    '2026-11-26T12:00:00.000Z,Contact,"Write, ""please""",\'-1+1,,"a,b\nc"',
    '',
  ]);
});
