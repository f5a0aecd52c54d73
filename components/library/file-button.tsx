import { type ComponentProps, useRef } from 'react';
import { libraryStrings } from '#components/library/words';
import { Button } from '#components/ui/buttons';
import { MAX_PICTURE_BYTES, pictureExtensions } from '#server/core/files';

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

/** For the file dialog. */
const ACCEPTED_PICTURES = Object.keys(pictureExtensions).join(',');

/** Why a file cannot become a picture of the library; null: nothing we see. The server looks for itself. */
export function pictureProblem({ type, size }: Pick<File, 'type' | 'size'>): string | null {
  if (!Object.hasOwn(pictureExtensions, type)) return libraryStrings.media.notAPicture;
  return size > MAX_PICTURE_BYTES ? libraryStrings.media.tooLarge : null;
}
