import dynamic from 'next/dynamic';
import { useId, useState } from 'react';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { loadCode } from '#components/ui/load-code';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { Problem } from '#components/ui/dialogs/submit';
import { Field, formFieldStyle } from '#components/ui/fields';
import { COLOR, type ContrastProblem, contrastProblems, type Design } from '#server/core/site/design/design';

const MediaPicker = dynamic(
  () => loadCode(async () => (await import('#components/library/media-picker')).MediaPicker),
  { ssr: false },
);

const t = translator('design.palette');

type Palette = Design['palette'];
type ColorName = keyof Palette;

const names = ['brand', 'ink', 'paper'] as const satisfies readonly ColorName[];

interface PaletteFieldsProps {
  readonly palette: Palette;
  /** Brand colour of a palette without one. */
  readonly accentColor: string;
  /** Problems that the server has found, by path: `palette.ink`. */
  readonly problems: Readonly<Record<string, string>>;
  readonly onChange: (palette: Palette) => void;
}

/** True if a field of a palette has a whole colour; the brand colour may be missing. */
const isColor = (palette: Palette, name: ColorName) =>
  COLOR.test(palette[name]) || (name === 'brand' && palette.brand === '');

/** True if a palette can be saved. */
export function isPaletteComplete(palette: Palette): boolean {
  return names.every((name) => isColor(palette, name)) && contrastProblems(palette).length === 0;
}

/** Colours that are hard to see; none while a colour is being typed. */
function shownProblems(palette: Palette): readonly ContrastProblem[] {
  return names.every((name) => isColor(palette, name)) ? contrastProblems(palette) : [];
}

/** The colours of a palette. A colour that is hard to see has an explanation, and a button that replaces it by the nearest one. */
export function PaletteFields({ palette, accentColor, problems: refused, onChange }: PaletteFieldsProps) {
  const problems = shownProblems(palette);
  const [isPicking, setIsPicking] = useState(false);
  const id = useId();
  const takeColors = async (pictureId: string) => {
    try {
      const found = await api.get(paths.picturePalette(pictureId));
      onChange(found.palette);
    } catch (error) {
      reportFailure(error);
    }
  };
  return (
    <>
      <div className="grid gap-5 sm:grid-cols-3">
        {names.map((name) => {
          const value = name === 'brand' && palette.brand === '' ? accentColor : palette[name];
          const refusal = refused[`palette.${name}`];
          const problem = problems.find(({ color }) => color === name);
          const write = (color: string) => onChange({ ...palette, [name]: color });
          return (
            <div key={name}>
              <Field label={t(`fields.${name}.label`)} hint={t(`fields.${name}.hint`)}>
                {(ids) => (
                  <div className="flex items-center gap-2">
                    <input
                      type="color"
                      aria-label={t('choose', { name: t(`fields.${name}.label`) })}
                      value={COLOR.test(value) ? value : '#000000'}
                      onChange={({ target }) => write(target.value)}
                      className="h-9 w-11 shrink-0 rounded-md border border-rule-strong bg-sheet p-1"
                    />
                    <input
                      {...ids}
                      aria-describedby={
                        problem === undefined
                          ? ids['aria-describedby']
                          : `${ids['aria-describedby'] ?? ''} ${id}-${name}`
                      }
                      aria-invalid={
                        problem === undefined && refusal === undefined && COLOR.test(value) ? undefined : true
                      }
                      autoComplete="off"
                      spellCheck={false}
                      value={value}
                      onChange={({ target }) => write(target.value)}
                      className={formFieldStyle}
                    />
                  </div>
                )}
              </Field>
              <Problem text={problem === undefined ? (refusal ?? null) : null} className="mt-1 text-xs!" />
              {problem !== undefined && (
                <output id={`${id}-${name}`} className="mt-2 flex flex-wrap items-center gap-2 text-sm text-amber">
                  <span>{t('contrast', { contrast: problem.contrast, needed: problem.needed })}</span>
                  <Button onClick={() => write(problem.nearest)}>
                    <span
                      aria-hidden
                      className="size-3.5 rounded-full border border-rule-strong"
                      style={{ background: problem.nearest }}
                    />
                    {t('useNearest', { color: problem.nearest })}
                  </Button>
                </output>
              )}
            </div>
          );
        })}
      </div>
      <Button className="mt-5" onClick={() => setIsPicking(true)}>
        {t('ofPicture')}
      </Button>
      {isPicking && (
        <MediaPicker
          title={t('ofPictureTitle')}
          onPick={(picture) => {
            setIsPicking(false);
            void takeColors(picture.id);
          }}
          onClose={() => setIsPicking(false)}
        />
      )}
    </>
  );
}
