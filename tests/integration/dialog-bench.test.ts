import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Bm25 } from '#tests/bench/dialogs/bm25';
import { measureDialog, sumFigures } from '#tests/bench/dialogs/measure-dialogs';
import { readDialogs } from '#tests/bench/dialogs/read-dialogs';

const said = (session: number, turn: number, text: string, caption?: string) => ({
  speaker: turn % 2 === 1 ? 'Ann' : 'Bo',
  dia_id: `D${session}:${turn}`,
  text,
  ...(caption !== undefined && { blip_caption: caption }),
});
const filler = (session: number) =>
  Array.from({ length: 40 }, (_, turn) =>
    said(session, turn + 3, `Talk ${turn} of ${session}: ${'and so on '.repeat(20)}`),
  );
const DIALOG = {
  speaker_a: 'Ann',
  speaker_b: 'Bo',
  session_1: [said(1, 1, 'I fired the teal bowl.', 'a bowl'), said(1, 2, 'In which kiln?'), ...filler(1)],
  session_1_date_time: '1 May 2026',
  session_2: [said(2, 1, 'The oak shelf broke.'), said(2, 2, 'Oh no.')],
  session_2_date_time: '2 May 2026',
  qa: [
    { question: 'What did Ann fire?', evidence: ['D1:1'] },
    { question: 'What broke?', evidence: ['D2:1; D2:2'] },
    { question: 'Of nothing', evidence: ['D9:9'] },
  ],
};

it('reads sessions with their dates and captions, and questions whose evidence exists', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-dialogs-'));
  const path = join(folder, 'dialogs.json');
  writeFileSync(path, JSON.stringify([DIALOG]));
  const [dialog] = await readDialogs(path);
  expect(dialog?.sessions[0]?.slice(0, 2)).toEqual([
    { id: 'D1:1', role: 'user', text: '[1 May 2026] I fired the teal bowl. [picture: a bowl]' },
    { id: 'D1:2', role: 'assistant', text: 'In which kiln?' },
  ]);
  expect(dialog?.questions.map(({ evidence }) => evidence.map(({ id }) => id))).toEqual([['D1:1'], ['D2:1', 'D2:2']]);
  const [ours, newest] = sumFigures([await measureDialog(dialog!, 16_000)]);
  expect(ours).toMatchObject({ questions: 2, inView: 2, found: 2 });
  expect(newest?.found).toBeGreaterThan(0);
  writeFileSync(path, '{}');
  await expect(readDialogs(path)).rejects.toThrow('not a list of dialogs');
  rmSync(folder, { recursive: true });
});

it('ranks rare words before frequent ones, and short texts before long ones', () => {
  const index = new Bm25(['the kiln', 'the kiln and the shelf and much else', 'the shelf', 'the the the']);
  expect(index.search('kiln shelf', 10)).toEqual([1, 0, 2]);
  expect(index.search('kiln', 1)).toEqual([0]);
  expect(index.search('sundial', 5)).toEqual([]);
});
