import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { ReactCrop } from 'react-image-crop';
import 'react-image-crop/dist/ReactCrop.css';
import { translator } from '#components/i18n.ts';
import { labelsOf } from '#components/labels.ts';
import { Button } from '#components/ui/buttons';
import { FormDialog } from '#components/ui/dialogs/form-dialog';
import { type Crop, type Focus, pictureAddress, pictureSource } from '#server/core/site/pictures';

const t = translator('sectionPanel.picture.crop');

/** Parts of the frame that arrow keys move. */
const handles = [
  'cropArea',
  'nwDragHandle',
  'nDragHandle',
  'neDragHandle',
  'eDragHandle',
  'seDragHandle',
  'sDragHandle',
  'swDragHandle',
  'wDragHandle',
] as const;

const WHOLE_PICTURE: Crop = { x: 0, y: 0, width: 100, height: 100 };
const CENTRE: Focus = { x: 50, y: 50 };
/** Smallest width or height of the visible part; percent. A choice, not measured. */
const MIN_SIZE_PERCENT = 5;
/** Distance that an arrow key moves the point; percent. A choice, not measured. */
const KEY_STEP_PERCENT = 2;

interface CropDialogProps {
  /** Address of the picture, including its visible part. */
  readonly value: string;
  readonly onSave: (address: string) => void;
  readonly onClose: () => void;
}

/**
 * Dialog for a picture's visible part, and the focus point that stays visible when it is cropped to fit. The file does
 * not change.
 */
export function CropDialog({ value, onSave, onClose }: CropDialogProps) {
  const { address, ...shown } = pictureSource(value);
  const [crop, setCrop] = useState<Crop>(shown.crop ?? WHOLE_PICTURE);
  const [focus, setFocus] = useState<Focus>(shown.focus ?? CENTRE);
  const isWhole = crop.width === 100 && crop.height === 100;
  const isMiddle = focus.x === CENTRE.x && focus.y === CENTRE.y;
  const shownBy = (part: Crop | null, point: Focus | null) => pictureAddress({ address, crop: part, focus: point });
  return (
    <FormDialog
      title={t('title')}
      width="wide"
      save={t('save')}
      isBusy={false}
      isChanged={shownBy(isWhole ? null : crop, focus) !== shownBy(shown.crop, shown.focus ?? CENTRE)}
      onSubmit={() => {
        onSave(shownBy(isWhole ? null : crop, isMiddle ? null : focus));
        onClose();
      }}
      onClose={onClose}
    >
      <p className="text-sm text-ink-2">{t('hint')}</p>
      <div className="flex justify-center">
        <ReactCrop
          crop={{ unit: '%', ...crop }}
          minWidth={24}
          minHeight={24}
          keepSelection
          ruleOfThirds
          ariaLabels={labelsOf(handles, (handle) => t(`handles.${handle}`))}
          onChange={(_, { x, y, width, height }) => setCrop(wholePercents({ x, y, width, height }))}
          className="max-h-[55dvh]"
        >
          <img src={address} alt="" className="max-h-[55dvh]" draggable={false} />
          <FocusPoint focus={focus} onChange={setFocus} />
        </ReactCrop>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button disabled={isWhole} onClick={() => setCrop(WHOLE_PICTURE)}>
          {t('whole')}
        </Button>
        <Button disabled={isMiddle} onClick={() => setFocus(CENTRE)}>
          {t('middle')}
        </Button>
      </div>
    </FormDialog>
  );
}

/** Rounds to whole numbers that stay within the picture. */
function wholePercents({ x, y, width, height }: Crop): Crop {
  const left = Math.min(Math.round(x), 100 - MIN_SIZE_PERCENT);
  const top = Math.min(Math.round(y), 100 - MIN_SIZE_PERCENT);
  return {
    x: left,
    y: top,
    width: Math.min(Math.max(Math.round(width), MIN_SIZE_PERCENT), 100 - left),
    height: Math.min(Math.max(Math.round(height), MIN_SIZE_PERCENT), 100 - top),
  };
}

interface FocusPointProps {
  readonly focus: Focus;
  readonly onChange: (focus: Focus) => void;
}

const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-KEY_STEP_PERCENT, 0],
  ArrowRight: [KEY_STEP_PERCENT, 0],
  ArrowUp: [0, -KEY_STEP_PERCENT],
  ArrowDown: [0, KEY_STEP_PERCENT],
};

/** A point over the picture, moved by dragging or with the arrow keys. */
function FocusPoint({ focus, onChange }: FocusPointProps) {
  const button = useRef<HTMLButtonElement>(null);
  const moveTo = (x: number, y: number) => onChange({ x: clampPercent(x), y: clampPercent(y) });
  const drag = (event: PointerEvent) => {
    const picture = button.current?.parentElement?.getBoundingClientRect();
    if (!picture || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    moveTo(
      ((event.clientX - picture.left) * 100) / picture.width,
      ((event.clientY - picture.top) * 100) / picture.height,
    );
  };
  const press = (event: KeyboardEvent) => {
    const step = KEYS[event.key];
    if (!step) return;
    // Otherwise the crop area around it would move too.
    event.preventDefault();
    event.stopPropagation();
    moveTo(focus.x + step[0], focus.y + step[1]);
  };
  return (
    <button
      ref={button}
      type="button"
      aria-label={t('point', { x: focus.x, y: focus.y })}
      onKeyDown={press}
      onPointerDown={(event) => {
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
      style={{ left: `${String(focus.x)}%`, top: `${String(focus.y)}%` }}
      className="absolute z-10 size-7 -translate-1/2 cursor-grab touch-none rounded-full border-2 border-white bg-accent/70 shadow-sheet outline-offset-2 focus-visible:outline-3 focus-visible:outline-accent active:cursor-grabbing"
    />
  );
}

const clampPercent = (percent: number) => Math.round(Math.min(100, Math.max(0, percent)));
