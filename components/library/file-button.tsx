import { type ComponentProps, useRef } from 'react';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { MAX_PICTURE_BYTES, pictureExtensions } from '#server/core/limits';

const t = translator('library.media');

interface FileButtonProps {
  readonly variant?: NonNullable<ComponentProps<typeof Button>['variant']>;
  readonly disabled?: boolean;
  readonly label: string;
  readonly isMultiple?: boolean;
  /** Accepted types of the file dialog. Default: pictures. */
  readonly accept?: string;
  /** Called with the files that the user chose. */
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
          // Allows the same file to be chosen again.
          target.value = '';
        }}
      />
    </>
  );
}

/** The server converts SVG to PNG. */
const SVG_TYPE = 'image/svg+xml';
/** Media types of pictures that the server accepts, for the file dialog. */
const ACCEPTED_PICTURES = [...Object.keys(pictureExtensions), SVG_TYPE].join(',');

/** Reason why a file cannot become a picture; null if this check finds none. The server checks again. */
export function pictureProblem({ type, size }: File): string | null {
  if (!Object.hasOwn(pictureExtensions, type) && type !== SVG_TYPE) return t('notAPicture');
  return size > MAX_PICTURE_BYTES ? t('tooLarge') : null;
}
