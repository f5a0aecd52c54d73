import clsx from 'clsx';
import { translator } from '#components/i18n.ts';
import { changedParts, type Design } from '#server/core/site/design/design';
import { type ThemeName, themeNames, themes, withTheme } from '#server/core/site/design/themes';

const t = translator('design.themes');

interface ThemePickerProps {
  readonly design: Design;
  readonly onChange: (design: Design) => void;
}

/** The complete designs to start from. */
export function ThemePicker({ design, onChange }: ThemePickerProps) {
  return (
    <ul aria-label={t('label')} className="grid grid-cols-2 gap-3 xl:grid-cols-3">
      {themeNames.map((name) => {
        const themed = withTheme(design, name);
        const isChosen = changedParts(themed, design).length === 0;
        return (
          <li key={name}>
            <button
              type="button"
              aria-pressed={isChosen}
              onClick={() => onChange(themed)}
              className={clsx(
                'flex w-full flex-col gap-2 rounded-lg border p-2.5 text-left hover:border-ink',
                isChosen ? 'border-accent ring-1 ring-accent' : 'border-rule-strong',
              )}
            >
              <Swatch name={name} />
              <span className="text-sm font-medium">{t(`names.${name}`)}</span>
              <span className="text-xs text-ink-2">{t(`hints.${name}`)}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** The colours, corners and header of a theme, as a small drawing. */
function Swatch({ name }: { readonly name: ThemeName }) {
  const { palette, corners, header, button } = themes[name];
  const { brand, ink, paper } = palette;
  const radius = corners === 'round' ? 5 : corners === 'slight' ? 2 : 0;
  const isBand = header.kind === 'band';
  const isCentered = header.kind === 'centered';
  return (
    <svg aria-hidden viewBox="0 0 120 64" className="w-full rounded-md border border-rule">
      <rect width="120" height="64" fill={paper} />
      {isBand && <rect width="120" height="14" fill={brand} />}
      <rect x={isCentered ? 48 : 8} y="5" width="24" height="4" rx="1" fill={isBand ? paper : ink} />
      {!isCentered && <rect x="84" y="6" width="28" height="2.5" rx="1" fill={isBand ? paper : ink} opacity="0.7" />}
      <rect x="8" y="24" width="66" height="7" rx="1" fill={ink} />
      <rect x="8" y="35" width="50" height="3" rx="1" fill={ink} opacity="0.55" />
      <rect
        x="8"
        y="46"
        width="30"
        height="10"
        rx={button === 'pill' ? 5 : radius}
        fill={button === 'outline' ? 'none' : brand}
        stroke={brand}
        strokeWidth="1.5"
      />
      <rect x="84" y="24" width="28" height="32" rx={radius} fill={brand} opacity="0.35" />
    </svg>
  );
}
