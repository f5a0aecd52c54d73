import { expect, it } from 'vitest';
import type { Submission } from '#server/core/submissions';
import { submissionsAsCsv } from '#server/http/csv';

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
  for await (const piece of submissionsAsCsv(pages)) text += piece;
  expect(text.split('\r\n')).toEqual([
    '\ufeffReceived,Page,Form,Name,Message,Colour',
    '2026-11-26T12:00:00.000Z,Contact,"Write, ""please""",Mara,"\'=HYPERLINK(""https://evil.example"")",',
    '2026-11-26T12:00:00.000Z,Contact,"Write, ""please""",\'-1+1,,"a,b\nc"',
    '',
  ]);
});
