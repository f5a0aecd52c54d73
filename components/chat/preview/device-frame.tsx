import clsx from 'clsx';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import type { PreviewDevice } from '#components/workspace/layout-preferences.ts';

/** Common screen widths; CSS pixels. */
const widths = { full: 1280, desktop: 1280, tablet: 768, phone: 390 };

interface DeviceFrameProps {
  readonly device: PreviewDevice;
  readonly children: ReactNode;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Gives the page the width of a device, and scales it down if less space is available, except at full size. */
export function DeviceFrame({ device, children }: DeviceFrameProps) {
  const container = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size | null>(null);

  useLayoutEffect(() => {
    const element = container.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  return (
    <div
      ref={container}
      data-device={device}
      className={clsx('h-full bg-desk', device === 'full' ? 'overflow-x-auto overflow-y-hidden' : 'overflow-hidden')}
    >
      <div style={boxOf(device, size)} className={device === 'fit' ? 'h-full' : 'mx-auto origin-top-left shadow-sheet'}>
        {children}
      </div>
    </div>
  );
}

/**
 * The styles of the box around the page; undefined for `fit` and before the container is measured. Styles the same
 * element for every device, because another element would reload the page.
 */
function boxOf(device: PreviewDevice, size: Size | null) {
  if (device === 'fit' || size === null || size.width === 0) return undefined;
  const width = widths[device];
  const scale = device === 'full' ? 1 : Math.min(1, size.width / width);
  return {
    width,
    height: size.height / scale,
    transform: `scale(${String(scale)})`,
    ...(scale < 1 && { marginInline: 0 }),
  };
}
