import { messageOf } from '#components/api/api-error';
import type { ChatFile } from '#components/api/chat-message';
import { type Attachment, uploadFile } from '#components/api/upload-file';
import { returnToDraft, takeDraft } from '#components/chat/session/drafts';
import { attachmentStrings } from '#components/chat/session/words';
import { MAX_FILES, MAX_IMAGE_BYTES, MAX_TEXT_BYTES } from '#server/core/limits';

/** A file that was added to an unsent message. */
export interface DraftFile {
  /** Id within this page. */
  readonly id: string;
  readonly file: File;
  readonly kind: AttachmentKind;
  /** Object URL of an image. */
  readonly thumbnail: string | null;
  /** Share that has been sent, while it is under way; null otherwise. */
  readonly progress: number | null;
  /** Reason why it could not be sent. */
  readonly error: string | null;
  /** The stored attachment, once uploaded. */
  readonly kept: { readonly sessionId: string; readonly attachment: Attachment } | null;
}

const NONE: readonly DraftFile[] = [];
const drafts = new Map<string, readonly DraftFile[]>();
const listeners = new Set<() => void>();

/** Calls `listener` after every change; gives back what ends that. */
export function subscribeToDraftFiles(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The files of the unsent message at `key` (see drafts.tsx). */
export function draftFilesAt(key: string): readonly DraftFile[] {
  return drafts.get(key) ?? NONE;
}

/** The unsent message at `key` is being sent: its files are on their way. */
export function isSendingFiles(key: string): boolean {
  return draftFilesAt(key).some(({ progress }) => progress !== null);
}

/** Adds what can be attached. @returns what is wrong with the others, a sentence each */
export async function addDraftFiles(key: string, files: readonly File[]): Promise<string[]> {
  const looked = await Promise.all(files.map(async (file) => ({ file, ...(await attachmentKind(file)) })));
  const problems = looked.flatMap((each) =>
    'problem' in each ? [attachmentStrings[each.problem](each.file.name)] : [],
  );
  const fitting = looked.flatMap((each) => ('kind' in each ? [newDraftFile(each.file, each.kind)] : []));
  const room = MAX_FILES - draftFilesAt(key).length;
  if (fitting.length > room) problems.push(attachmentStrings.tooMany);
  for (const { thumbnail } of fitting.slice(room)) forget(thumbnail);
  write(key, [...draftFilesAt(key), ...fitting.slice(0, room)]);
  return problems;
}

export function removeDraftFile(key: string, id: string): void {
  forget(draftFilesAt(key).find((file) => file.id === id)?.thumbnail ?? null);
  write(
    key,
    draftFilesAt(key).filter((file) => file.id !== id),
  );
}

/**
 * Sends an unsent message with its files: gives them to its session, telling how each of them is doing, then takes them
 * out and sends. Those that the session has already are not given to it again. They may be moved meanwhile.
 * @param sessionFor which session that is; called only where there are files, with a title for a new one
 * @param send its second argument is where the files are by then, and with them the text
 * @throws what `sessionFor` and `send` throw, and Error for the first file that could not be sent; all files are then
 *   where they were, and each says what was wrong with it
 */
export async function sendDraftFiles(
  key: string,
  sessionFor: (title: string) => Promise<string>,
  send: (files: readonly ChatFile[], place: string) => Promise<void>,
): Promise<void> {
  const files = draftFilesAt(key);
  if (files.length === 0) return send([], key);
  const sent = await uploadAll(files, sessionFor);
  const isSent = ({ id }: DraftFile) => files.some((file) => file.id === id);
  const place = [...drafts.keys()].find((each) => draftFilesAt(each).some(isSent)) ?? key;
  const kept = draftFilesAt(place).filter(isSent);
  // What was dropped meanwhile is for the next message.
  write(
    place,
    draftFilesAt(place).filter((file) => !isSent(file)),
  );
  try {
    await send(sent, place);
  } catch (error) {
    write(place, [...kept, ...draftFilesAt(place)]);
    throw error;
  }
  for (const { thumbnail } of kept) forget(thumbnail);
}

/** Ways of an unsent message to the server. */
interface DraftSender {
  /** The conversation that its files go to. @param title for one that is made for them */
  readonly sessionFor: (title: string) => Promise<string>;
  /** Resolves when the message is taken or, where it may have been refused, in the transcript. */
  readonly onSend: (text: string, files: readonly ChatFile[]) => Promise<void>;
  /** The files could not be given to that conversation; all stays as it was written. */
  readonly onNotSent?: (() => void) | undefined;
}

/**
 * Sends the unsent message at `key`, `text` and its files. The text stays in the field until the files are with the
 * server, and is there again, wherever the field was moved meanwhile, where it could not be sent.
 * @throws as `sendDraftFiles`
 */
export async function sendDraft(key: string, text: string, sender: DraftSender): Promise<void> {
  let takenFrom = null as string | null;
  try {
    await sendDraftFiles(key, sender.sessionFor, async (files, place) => {
      takenFrom = place;
      takeDraft(place, text);
      await sender.onSend(text, files);
    });
  } catch (error) {
    if (takenFrom === null) sender.onNotSent?.();
    else returnToDraft(takenFrom, text);
    throw error;
  }
}

/** Moves the files at `from` to `to`, as `moveDraft` does with the text. */
export function moveDraftFiles(from: string, to: string): void {
  const moved = draftFilesAt(from);
  if (moved.length === 0) return;
  write(from, NONE);
  write(to, [...draftFilesAt(to), ...moved]);
}

async function uploadAll(
  files: readonly DraftFile[],
  sessionFor: (title: string) => Promise<string>,
): Promise<ChatFile[]> {
  // Before anything is awaited: the files cannot be changed, nor the message sent twice, from here on.
  for (const { id } of files) change(id, { progress: 0, error: null });
  try {
    const sessionId = await sessionFor(files.map(({ file }) => file.name).join(', '));
    const outcomes = await Promise.allSettled(files.map((file) => upload(sessionId, file)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [toPart(outcome.value)] : []));
  } finally {
    for (const { id } of files) change(id, { progress: null });
  }
}

async function upload(sessionId: string, { id, file, kept }: DraftFile): Promise<Attachment> {
  if (kept?.sessionId === sessionId) return kept.attachment;
  try {
    const attachment = await uploadFile(sessionId, file, (progress) => change(id, { progress }));
    change(id, { progress: 1, kept: { sessionId, attachment } });
    return attachment;
  } catch (error) {
    const reason = messageOf(error);
    change(id, { error: reason });
    throw new Error(attachmentStrings.failed(file.name, reason), { cause: error });
  }
}

function toPart({ url, mediaType, filename, width, height }: Attachment): ChatFile {
  const providerMetadata = { throughline: { width: width ?? null, height: height ?? null } };
  return { type: 'file', url, mediaType, filename, ...(width !== undefined && { providerMetadata }) };
}

function newDraftFile(file: File, kind: AttachmentKind): DraftFile {
  const thumbnail = kind === 'image' ? URL.createObjectURL(file) : null;
  return { id: crypto.randomUUID(), file, kind, thumbnail, progress: null, error: null, kept: null };
}

function forget(thumbnail: string | null): void {
  if (thumbnail !== null) URL.revokeObjectURL(thumbnail);
}

/** Wherever it is by now. */
function change(id: string, changes: Partial<DraftFile>): void {
  for (const [key, files] of drafts) {
    if (!files.some((file) => file.id === id)) continue;
    write(
      key,
      files.map((file) => (file.id === id ? { ...file, ...changes } : file)),
    );
  }
}

function write(key: string, files: readonly DraftFile[]): void {
  if (files.length === 0) drafts.delete(key);
  else drafts.set(key, files);
  for (const listener of listeners) listener();
}

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const TEXT_NAME = /\.(txt|md|markdown|csv|tsv|json|xml|html?|svg|ya?ml|log|css|[jt]sx?)$/i;

/** Accepted types of the file dialog; other text files are recognized by their content. */
export const ACCEPTED_FILES = [...IMAGE_TYPES, 'text/*', 'application/json', '.md', '.csv'].join(',');

export type AttachmentKind = 'image' | 'text';
export type AttachmentProblem = 'unsupported' | 'imageTooLarge' | 'textTooLarge' | 'empty';

/**
 * Kind of attachment for a file, or why it cannot be attached. The server checks again; this reports problems early.
 */
export async function attachmentKind(
  file: Blob & { readonly name: string },
): Promise<{ readonly kind: AttachmentKind } | { readonly problem: AttachmentProblem }> {
  if (file.size === 0) return { problem: 'empty' };
  if (IMAGE_TYPES.has(file.type)) return file.size > MAX_IMAGE_BYTES ? { problem: 'imageTooLarge' } : { kind: 'image' };
  if (file.size > MAX_TEXT_BYTES) return { problem: isNamedText(file) ? 'textTooLarge' : 'unsupported' };
  return (await isText(file)) ? { kind: 'text' } : { problem: 'unsupported' };
}

function isNamedText({ type, name }: { readonly type: string; readonly name: string }): boolean {
  return type.startsWith('text/') || TEXT_NAME.test(name);
}

async function isText(file: Blob): Promise<boolean> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return !text.includes('\0') && !text.startsWith('%PDF-');
  } catch {
    return false;
  }
}
