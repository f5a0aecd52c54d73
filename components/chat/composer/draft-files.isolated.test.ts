import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { translator } from '#components/i18n.ts';
import {
  addDraftFiles,
  draftFilesAt,
  moveDraftFiles,
  removeDraftFile,
  sendDraftFiles,
  subscribeToDraftFiles,
} from '#components/chat/composer/draft-files.ts';
import { attachmentKind } from '#components/chat/parts/attachment-kind.ts';

const t = translator('attachment');
const tShared = translator('shared');

/** Requests of the page, answered by the test. */
class FakeRequest extends EventTarget {
  static readonly open: FakeRequest[] = [];
  readonly upload = new EventTarget();
  status = 0;
  responseText = '';
  path = '';

  open(_method: string, path: string): void {
    this.path = path;
  }

  send(): void {
    FakeRequest.open.push(this);
  }

  answer(status: number, body: object): void {
    this.answerText(status, JSON.stringify(body));
  }

  answerText(status: number, text: string): void {
    this.status = status;
    this.responseText = text;
    this.dispatchEvent(new Event('load'));
  }
}

const png = (name: string) => new File(['image'], name, { type: 'image/png' });
const names = (key: string) => draftFilesAt(key).map(({ file }) => file.name);
const kept = (id: string) => ({ id, url: `/api/attachments/${id}`, mediaType: 'image/png', filename: id, size: 5 });
const requestFor = (name: string) =>
  vi.waitUntil(() => FakeRequest.open.find(({ path }) => path.endsWith(`filename=${name}`)));

let key = '';
let count = 0;
beforeEach(() => {
  key = `draft-${String((count += 1))}`;
  FakeRequest.open.length = 0;
  vi.stubGlobal('XMLHttpRequest', FakeRequest);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it('takes at most ten files that can be attached, and reports the problem of each other one', async () => {
  const heard = vi.fn();
  const stop = subscribeToDraftFiles(heard);
  const problems = await addDraftFiles(key, [png('a.png'), new File([], 'b.txt'), new File(['%PDF-'], 'c.pdf')]);
  stop();
  expect(names(key)).toEqual(['a.png']);
  expect(problems).toEqual([t('empty', { name: 'b.txt' }), t('unsupported', { name: 'c.pdf' })]);
  expect(heard).toHaveBeenCalled();
  const more = Array.from({ length: 10 }, (_, index) => png(`${String(index)}.png`));
  expect(await addDraftFiles(key, more)).toEqual([t('tooMany')]);
  expect(names(key)).toHaveLength(10);
  removeDraftFile(key, draftFilesAt(key)[0]!.id);
  expect(names(key)).not.toContain('a.png');
});

it('has its file again when a proxy answered instead of the server', async () => {
  await addDraftFiles(key, [png('a.png')]);
  const send = vi.fn(async () => undefined);
  const sending = sendDraftFiles(key, async () => 'ses_1', send);
  (await requestFor('a.png')).answerText(200, '<!doctype html>Sign in to the hotel');
  await expect(sending).rejects.toThrow(
    t('failed', { name: 'a.png', reason: tShared('errors.unexpected', { status: 200 }) }),
  );
  expect(send).not.toHaveBeenCalled();
  expect(draftFilesAt(key)).toMatchObject([{ progress: null, error: expect.any(String) }]);
});

it('keeps all files when one is refused, and uploads only that one again', async () => {
  await addDraftFiles(key, [png('a.png'), png('b.png')]);
  const send = vi.fn(async () => undefined);
  const attempt = () => sendDraftFiles(key, async () => 'ses_1', send);
  const sending = attempt();
  (await requestFor('a.png')).answer(201, kept('one'));
  (await requestFor('b.png')).answer(415, { error: { code: 'unsupported_file', message: 'Damaged.' } });
  await expect(sending).rejects.toThrow(t('failed', { name: 'b.png', reason: 'Damaged.' }));
  expect(send).not.toHaveBeenCalled();
  expect(draftFilesAt(key)).toMatchObject([
    { progress: null, error: null },
    { progress: null, error: 'Damaged.' },
  ]);
  FakeRequest.open.length = 0;
  const again = attempt();
  (await requestFor('b.png')).answer(201, kept('two'));
  await again;
  expect(FakeRequest.open).toHaveLength(1);
  expect(send).toHaveBeenCalledOnce();
});

it('keeps a file that is dropped during the upload for the next message', async () => {
  await addDraftFiles(key, [png('a.png')]);
  const send = vi.fn(async () => undefined);
  const sending = sendDraftFiles(key, async () => 'ses_1', send);
  const request = await requestFor('a.png');
  await addDraftFiles(key, [png('late.png')]);
  request.answer(201, kept('one'));
  await sending;
  expect(send).toHaveBeenCalledExactlyOnceWith([expect.objectContaining({ filename: 'one' })], key);
  expect(names(key)).toEqual(['late.png']);
});

it('is sent from the conversation it was moved to during the upload, and returned there', async () => {
  const other = `${key}-other`;
  const refuse = () => sendDraftFiles(key, async () => 'ses_1', send);
  const send = vi.fn(() => Promise.reject(new Error('The queue is full.')));
  await addDraftFiles(key, [png('a.png')]);
  const sending = refuse();
  const request = await requestFor('a.png');
  moveDraftFiles(key, other);
  request.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded: 1, total: 2 }));
  expect(draftFilesAt(other)[0]?.progress).toBe(0.5);
  request.answer(201, kept('one'));
  await expect(sending).rejects.toThrow('The queue is full.');
  expect(send).toHaveBeenCalledExactlyOnceWith([expect.objectContaining({ filename: 'one' })], other);
  expect(names(key)).toEqual([]);
  expect(draftFilesAt(other)).toMatchObject([{ progress: null, error: null }]);
});

it('returns the files to the draft when the message is refused', async () => {
  await addDraftFiles(key, [png('a.png')]);
  const sending = sendDraftFiles(
    key,
    async () => 'ses_1',
    async () => {
      expect(draftFilesAt(key)).toEqual([]);
      await addDraftFiles(key, [png('later.png')]);
      throw new Error('The queue is full.');
    },
  );
  (await requestFor('a.png')).answer(201, kept('one'));
  await expect(sending).rejects.toThrow('The queue is full.');
  expect(names(key)).toEqual(['a.png', 'later.png']);
});

it('stays in the draft when no session can be created', async () => {
  await addDraftFiles(key, [png('a.png')]);
  const sending = sendDraftFiles(key, () => Promise.reject(new Error('No server.')), vi.fn());
  await expect(sending).rejects.toThrow('No server.');
  expect(draftFilesAt(key)).toMatchObject([{ progress: null, error: null }]);
});

const file = (name: string, type: string, ...pieces: BlobPart[]) => new File(pieces, name, { type });

describe('what a file is attached as', () => {
  it.each([
    [file('a.png', 'image/png', 'whatever'), { kind: 'image' }],
    [file('a.txt', 'text/plain', 'Kiln'), { kind: 'text' }],
    [file('notes', '', 'Kiln'), { kind: 'text' }],
    [file('logo.svg', 'image/svg+xml', '<svg/>'), { kind: 'text' }],
    [file('a.txt', 'text/plain'), { problem: 'empty' }],
    [file('a.jpg', 'image/jpeg', new Uint8Array(5_000_001)), { problem: 'imageTooLarge' }],
    [file('a.csv', 'application/vnd.ms-excel', 'x'.repeat(200_001)), { problem: 'textTooLarge' }],
    [file('a.zip', 'application/zip', new Uint8Array(200_001)), { problem: 'unsupported' }],
    [file('a.heic', 'image/heic', new Uint8Array([0, 0, 0, 24])), { problem: 'unsupported' }],
    [file('a.pdf', 'application/pdf', '%PDF-1.7'), { problem: 'unsupported' }],
    [file('a.txt', 'text/plain', new Uint8Array([0xff, 0xfe, 0x41])), { problem: 'unsupported' }],
  ])('%#', async (given, expected) => {
    expect(await attachmentKind(given)).toEqual(expected);
  });
});
