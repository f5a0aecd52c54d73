import { type ComponentProps, useRef } from 'react';
import { Button } from '#components/ui/button';
import { ACCEPTED_PICTURES } from '#lib/library/picture-file';

interface FileButtonProps extends Pick<ComponentProps<typeof Button>, 'variant' | 'disabled'> {
  readonly label: string;
  readonly isMultiple?: boolean;
  /** For the file dialog. Default: pictures. */
  readonly accept?: string;
  readonly onFiles: (files: readonly File[]) => void;
}

/** Lets one choose files from this computer. */
export function FileButton({
  label,
  isMultiple = false,
  accept = ACCEPTED_PICTURES,
  onFiles,
  ...button
}: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onClick={() => input.current?.click()} {...button}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        aria-label={label}
        tabIndex={-1}
        className="hidden"
        accept={accept}
        multiple={isMultiple}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // The same file can be chosen again.
          target.value = '';
        }}
      />
    </>
  );
}
