'use client';

import { Paperclip } from 'lucide-react';
import { DropSheet } from '#components/ui/drop-sheet';
import { strings } from '#lib/strings';
import { attach } from '#lib/chat/use-draft-files';
import { useDroppedFiles } from '#lib/chat/use-dropped-files';

const { drop, dropHint } = strings.attachments;

/** Takes files that are dropped anywhere on the page, and says so over the conversation while they are above it. */
export function DropZone({ draftKey }: { readonly draftKey: string }) {
  const isOver = useDroppedFiles((files) => void attach(draftKey, files));
  return isOver && <DropSheet over="parent" icon={<Paperclip aria-hidden />} title={drop} hint={dropHint} />;
}
