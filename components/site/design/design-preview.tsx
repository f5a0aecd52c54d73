import clsx from 'clsx';
import { Monitor, Moon, Smartphone, Sun } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { IconButton } from '#components/ui/buttons';
import type { Design } from '#server/core/site/design/design';

const t = translator('design.preview');

/** Width of the page in the preview; CSS pixels. */
const WIDTHS = { desktop: 1_200, phone: 390 } as const;
/** Time without a change before the preview is loaded again; milliseconds. A choice, not measured. */
const SETTLE_MS = 300;

interface DesignPreviewProps {
  readonly design: Design;
  /** True if nothing was stored and nothing is changed: the page is shown as it is. */
  readonly isUntouched: boolean;
  /** Address of the previewed page. */
  readonly address: string;
}

/** The start page of the site with an unsaved design. */
export function DesignPreview({ design, isUntouched, address }: DesignPreviewProps) {
  const [device, setDevice] = useState<keyof typeof WIDTHS>('desktop');
  const [isDark, setIsDark] = useState(false);
  const shown: Design = design.appearance === 'auto' ? { ...design, appearance: isDark ? 'dark' : 'light' } : design;
  const changed = `${address}?design=${encodeURIComponent(JSON.stringify(shown))}`;
  const source = useSettled(isUntouched && !isDark ? address : changed);
  return (
    <div className="flex h-full min-h-0 flex-col gap-2">
      <fieldset aria-label={t('views')} className="flex items-center gap-1">
        <IconButton
          label={t('desktop')}
          icon={<Monitor aria-hidden />}
          aria-pressed={device === 'desktop'}
          onClick={() => setDevice('desktop')}
        />
        <IconButton
          label={t('phone')}
          icon={<Smartphone aria-hidden />}
          aria-pressed={device === 'phone'}
          onClick={() => setDevice('phone')}
        />
        {design.appearance === 'auto' && (
          <IconButton
            label={t('dark')}
            icon={isDark ? <Moon aria-hidden /> : <Sun aria-hidden />}
            aria-pressed={isDark}
            onClick={() => setIsDark(!isDark)}
          />
        )}
      </fieldset>
      <ScaledFrame source={source} width={WIDTHS[device]} />
    </div>
  );
}

/** The value as soon as it has not changed for a while. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

interface ScaledFrameProps {
  readonly source: string;
  readonly width: number;
}

/**
 * A page scaled to the width of its box. While a new version loads, the former one stays visible, and the new one is scrolled to
 * the same place.
 */
function ScaledFrame({ source, width }: ScaledFrameProps) {
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 600, height: 600 });
  const [ready, setReady] = useState(source);
  const frames = useRef(new Map<string, HTMLIFrameElement>());
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const scale = Math.min(1, size.width / width);
  const show = () => {
    const top = frames.current.get(ready)?.contentWindow?.scrollY ?? 0;
    frames.current.get(source)?.contentWindow?.scrollTo(0, top);
    setReady(source);
  };
  const sources = source === ready ? [source] : [ready, source];
  return (
    <div ref={box} className="relative min-h-0 flex-1 overflow-hidden rounded-lg border border-rule-strong bg-sheet">
      {sources.map((each) => (
        <iframe
          key={each}
          ref={(frame) => {
            if (frame !== null) frames.current.set(each, frame);
            else frames.current.delete(each);
          }}
          title={t('title')}
          src={each}
          // Without scripts: nothing is to be edited here.
          sandbox="allow-same-origin"
          // A former version is only there until the new one has loaded.
          {...(each !== source && { 'aria-hidden': true, tabIndex: -1 })}
          onLoad={each === source ? show : undefined}
          className={clsx('absolute top-0 left-1/2 origin-top border-0', each !== ready && 'opacity-0')}
          style={{
            width,
            height: size.height / scale,
            transform: `translateX(-50%) scale(${String(scale)})`,
          }}
        />
      ))}
    </div>
  );
}
