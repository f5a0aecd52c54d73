import { FilePart } from '#components/chat/parts/file-part';
import type { FileBlock } from '#lib/chat/message-blocks';
import { strings } from '#lib/strings';

interface FileListProps {
  readonly files: readonly FileBlock[];
  /** What they are. Default: what is attached to a message. */
  readonly label?: string;
}

/** The files of a message, beside one another as far as there is room. */
export function FileList({ files, label = strings.attachments.label }: FileListProps) {
  if (files.length === 0) return null;
  return (
    <ul aria-label={label} className="flex flex-wrap items-end gap-2 pl-4.5">
      {files.map((file, index) => (
        <li key={`${file.url} ${String(index)}`} className="max-w-full min-w-0">
          <FilePart {...file} />
        </li>
      ))}
    </ul>
  );
}
