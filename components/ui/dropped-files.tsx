import clsx from 'clsx';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false;

/**
 * Accepts files dropped anywhere on the page.
 * @returns true while files are dragged over it
 */
export function useDroppedFiles(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const drop = useEffectEvent(onFiles);
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const onDrag = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      // Otherwise the browser would open the file and leave the page.
      event.preventDefault();
      setIsOver(true);
    };
    window.addEventListener('dragenter', onDrag, { signal });
    window.addEventListener('dragover', onDrag, { signal });
    window.addEventListener(
      'dragleave',
      (event) => {
        // Null: the pointer has left the window, not only an element in it.
        if (event.relatedTarget === null) setIsOver(false);
      },
      { signal },
    );
    window.addEventListener(
      'drop',
      (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setIsOver(false);
        drop([...(event.dataTransfer?.files ?? [])]);
      },
      { signal },
    );
    return () => listening.abort();
  }, []);
  return isOver;
}

interface DropSheetProps {
  readonly title: string;
  readonly hint: string;
  readonly icon: ReactNode;
  /** Covers the whole page, or only its parent. */
  readonly over: 'page' | 'parent';
}

/** Overlay that shows that dragged files can be dropped here. */
export function DropSheet({ title, hint, icon, over }: DropSheetProps) {
  return (
    <div
      className={clsx(
        'pointer-events-none inset-0 flex animate-rise items-center justify-center bg-paper/95 p-4 backdrop-blur-xs',
        over === 'page' ? 'fixed z-40' : 'absolute z-20',
      )}
    >
      <div className="flex size-full flex-col items-center justify-center gap-1 rounded-lg border border-dashed border-accent [&_svg]:mb-2 [&_svg]:size-5 [&_svg]:stroke-[1.5] [&_svg]:text-accent">
        {icon}
        <p className="font-serif text-xl">{title}</p>
        <p className="text-sm text-ink-2">{hint}</p>
      </div>
    </div>
  );
}
