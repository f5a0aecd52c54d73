import { atom } from 'nanostores';
import { translator } from '#components/i18n.ts';
import { messageOf } from '#components/api/api-error.ts';
import type { ChatFile } from '#components/api/chat-message.ts';
import { type Attachment, uploadFile } from '#components/api/upload-file.ts';
import { returnToDraft, takeDraft } from '#components/chat/session/drafts.ts';
import { type AttachmentKind, attachmentKind } from '#components/chat/parts/attachment-kind.ts';
import { MAX_FILES } from '#server/core/limits';

const t = translator('attachment');

/** A file that was added to an unsent message. */
export interface DraftFile {
  /** Unique within this page. */
  readonly id: string;
  readonly file: File;
  readonly kind: AttachmentKind;
  /** Object URL of an image. */
  readonly thumbnail: string | null;
  /** Uploaded share during the upload; null otherwise. */
  readonly progress: number | null;
  /** Reason why the upload failed. */
  readonly error: string | null;
  /** The stored attachment, once uploaded. */
  readonly kept: { readonly sessionId: string; readonly attachment: Attachment } | null;
}

const NONE: readonly DraftFile[] = [];
const drafts = new Map<string, readonly DraftFile[]>();
/** Counts changes of all drafts. */
const revision = atom(0);

/** Calls `listener` after every change; returns the unsubscribe function. */
export function subscribeToDraftFiles(listener: () => void): () => void {
  return revision.listen(() => listener());
}

/** The files of the unsent message at `key` (see drafts.ts). */
export function draftFilesAt(key: string): readonly DraftFile[] {
  return drafts.get(key) ?? NONE;
}

/** True while the unsent message at `key` is being sent, with its files uploading. */
export function isSendingFiles(key: string): boolean {
  return draftFilesAt(key).some(({ progress }) => progress !== null);
}

/** Adds the files that can be attached. @returns one sentence per refused file */
export async function addDraftFiles(key: string, files: readonly File[]): Promise<string[]> {
  const looked = await Promise.all(files.map(async (file) => ({ file, ...(await attachmentKind(file)) })));
  const problems = looked.flatMap((each) => ('problem' in each ? [t(each.problem, { name: each.file.name })] : []));
  const fitting = looked.flatMap((each) => ('kind' in each ? [newDraftFile(each.file, each.kind)] : []));
  const room = MAX_FILES - draftFilesAt(key).length;
  if (fitting.length > room) problems.push(t('tooMany'));
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
 * Sends an unsent message with its files: uploads them to its session, reporting the progress of each, then removes
 * them from the draft and sends. Files that the session already has are not uploaded again. The draft may be moved
 * during the upload.
 * @param sessionFor returns that session; called only if there are files, with a title for a new one
 * @param send its second argument is the key where files and text are by then
 * @throws errors of `sessionFor` and `send`, and Error for the first failed upload; all files are then in their place
 * again, each with its error
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
  // Files that were added during the upload belong to the next message.
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

/** Callbacks that send an unsent message. */
interface DraftSender {
  /** Returns the conversation to upload the files to. @param title for a newly created one */
  readonly sessionFor: (title: string) => Promise<string>;
  /** Resolves when the message is accepted or, if it may have been refused, is in the transcript. */
  readonly onSend: (text: string, files: readonly ChatFile[]) => Promise<void>;
  /** Called if the files could not be uploaded; text and files stay in the draft. */
  readonly onNotSent?: (() => void) | undefined;
}

/**
 * Sends the unsent message at `key`: `text` and its files. The text stays in the field until the files are uploaded; if
 * sending fails, it returns to the field, even if the draft was moved.
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
  // Before the first await: from here on the files cannot be changed, and the message cannot be sent twice.
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
    throw new Error(t('failed', { name: file.name, reason }), { cause: error });
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

/** Changes the file under its present key. */
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
  revision.set(revision.get() + 1);
}
