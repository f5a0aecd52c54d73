import { Paperclip } from 'lucide-react';
import { useRef } from 'react';
import { IconButton } from '#components/ui/icon-button';
import { ACCEPTED_FILES } from '#lib/chat/attachment-kind';
import { strings } from '#lib/strings';

interface AttachButtonProps {
  readonly disabled: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

/** Opens the system's dialog for files. */
export function AttachButton({ disabled, onFiles }: AttachButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={ACCEPTED_FILES}
        aria-label={strings.attachments.add}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // The same file may be chosen again after it was removed.
          target.value = '';
        }}
      />
      <IconButton
        label={strings.attachments.add}
        icon={<Paperclip aria-hidden />}
        disabled={disabled}
        onClick={() => input.current?.click()}
      />
    </>
  );
}
