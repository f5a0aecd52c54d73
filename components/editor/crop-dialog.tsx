import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { ReactCrop } from 'react-image-crop';
import 'react-image-crop/dist/ReactCrop.css';
import { panelStrings } from '#components/editor/panel-words';
import { Button } from '#components/ui/buttons';
import { FormDialog } from '#components/ui/form-dialog';
import { type Crop, type Focus, pictureAddress, pictureSource } from '#server/core/pictures';

const say = panelStrings.picture.crop;

const WHOLE: Crop = { x: 0, y: 0, width: 100, height: 100 };
const MIDDLE: Focus = { x: 50, y: 50 };
/** A part that is smaller shows nothing; percents. */
const LEAST = 5;
/** A press of an arrow key moves the point so far; percents. */
const STEP = 2;

interface CropDialogProps {
  /** Address of the picture, with what is shown of it. */
  readonly value: string;
  readonly onSave: (address: string) => void;
  readonly onClose: () => void;
}

/** Dialog for a picture's visible part, and the point kept in sight when cut to fit. The picture stays as it is. */
export function CropDialog({ value, onSave, onClose }: CropDialogProps) {
  const { address, ...shown } = pictureSource(value);
  const [crop, setCrop] = useState<Crop>(shown.crop ?? WHOLE);
  const [focus, setFocus] = useState<Focus>(shown.focus ?? MIDDLE);
  const isWhole = crop.width === 100 && crop.height === 100;
  const isMiddle = focus.x === MIDDLE.x && focus.y === MIDDLE.y;
  const shownBy = (part: Crop | null, point: Focus | null) => pictureAddress({ address, crop: part, focus: point });
  return (
    <FormDialog
      title={say.title}
      width="wide"
      save={say.save}
      isBusy={false}
      isChanged={shownBy(isWhole ? null : crop, focus) !== shownBy(shown.crop, shown.focus ?? MIDDLE)}
      onSubmit={() => {
        onSave(shownBy(isWhole ? null : crop, isMiddle ? null : focus));
        onClose();
      }}
      onClose={onClose}
    >
      <p className="text-sm text-ink-2">{say.hint}</p>
      <div className="flex justify-center">
        <ReactCrop
          crop={{ unit: '%', ...crop }}
          minWidth={24}
          minHeight={24}
          keepSelection
          ruleOfThirds
          ariaLabels={say.handles}
          onChange={(_, { x, y, width, height }) => setCrop(wholePercents({ x, y, width, height }))}
          className="max-h-[55dvh]"
        >
          <img src={address} alt="" className="max-h-[55dvh]" draggable={false} />
          <FocusPoint focus={focus} onChange={setFocus} />
        </ReactCrop>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button disabled={isWhole} onClick={() => setCrop(WHOLE)}>
          {say.whole}
        </Button>
        <Button disabled={isMiddle} onClick={() => setFocus(MIDDLE)}>
          {say.middle}
        </Button>
      </div>
    </FormDialog>
  );
}

/** Whole numbers that stay within the picture. */
function wholePercents({ x, y, width, height }: Crop): Crop {
  const left = Math.min(Math.round(x), 100 - LEAST);
  const top = Math.min(Math.round(y), 100 - LEAST);
  return {
    x: left,
    y: top,
    width: Math.min(Math.max(Math.round(width), LEAST), 100 - left),
    height: Math.min(Math.max(Math.round(height), LEAST), 100 - top),
  };
}

interface FocusPointProps {
  readonly focus: Focus;
  readonly onChange: (focus: Focus) => void;
}

const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

/** A point over the picture, moved by dragging it or with the arrow keys. */
function FocusPoint({ focus, onChange }: FocusPointProps) {
  const button = useRef<HTMLButtonElement>(null);
  const put = (x: number, y: number) => onChange({ x: within(x), y: within(y) });
  const drag = (event: PointerEvent) => {
    const picture = button.current?.parentElement?.getBoundingClientRect();
    if (!picture || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    put(((event.clientX - picture.left) * 100) / picture.width, ((event.clientY - picture.top) * 100) / picture.height);
  };
  const press = (event: KeyboardEvent) => {
    const step = KEYS[event.key];
    if (!step) return;
    // The part around it would move, too.
    event.preventDefault();
    event.stopPropagation();
    put(focus.x + step[0], focus.y + step[1]);
  };
  return (
    <button
      ref={button}
      type="button"
      aria-label={say.point(focus.x, focus.y)}
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

const within = (percent: number) => Math.round(Math.min(100, Math.max(0, percent)));
