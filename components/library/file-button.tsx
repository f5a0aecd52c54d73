import { type ComponentProps, useRef } from 'react';
import { libraryStrings } from '#components/library/words';
import { Button } from '#components/ui/buttons';
import { MAX_PICTURE_BYTES, pictureExtensions } from '#server/core/limits';

interface FileButtonProps extends Pick<ComponentProps<typeof Button>, 'variant' | 'disabled'> {
  readonly label: string;
  readonly isMultiple?: boolean;
  /** Accepted types of the file dialog. Default: pictures. */
  readonly accept?: string;
  readonly onFiles: (files: readonly File[]) => void;
}

/** Button that opens the file dialog. */
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

/** Accepted types of the file dialog. */
const ACCEPTED_PICTURES = Object.keys(pictureExtensions).join(',');

/** Reason why a file cannot become a picture; null: none found here. The server checks again. */
export function pictureProblem({ type, size }: Pick<File, 'type' | 'size'>): string | null {
  if (!Object.hasOwn(pictureExtensions, type)) return libraryStrings.media.notAPicture;
  return size > MAX_PICTURE_BYTES ? libraryStrings.media.tooLarge : null;
}
