import { PictureControl } from '#components/editor/pictures/picture-control';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { Problem } from '#components/ui/dialogs/submit';
import { Field } from '#components/ui/fields';

const t = translator('design.icon');

interface IconFieldProps {
  /** Address of the picture; empty: as in the settings. */
  readonly icon: string;
  /** Address of the logo; empty: none. */
  readonly logo: string;
  /** What is shown without a picture: the icon of the settings, or a ring in the colour of the site. */
  readonly fallback: { readonly icon: string; readonly color: string };
  readonly siteName: string;
  readonly problem: string | null;
  readonly onChange: (icon: string) => void;
}

/** The icon of the site for tabs and lists, as it looks in a tab. */
export function IconField({ icon, logo, fallback, siteName, problem, onChange }: IconFieldProps) {
  const shown = icon || fallback.icon;
  return (
    <Field label={t('label')} hint={t('hint')}>
      {(ids) => (
        <div data-panel tabIndex={-1} className="outline-none">
          <div
            aria-hidden
            className="mb-3 flex w-fit max-w-full items-center gap-2 rounded-lg border border-rule bg-sheet px-3 py-2 text-xs text-ink-2"
          >
            {shown === '' ? (
              <svg viewBox="0 0 32 32" className="size-4 shrink-0">
                <rect width="32" height="32" rx="7" fill={fallback.color} />
                <circle cx="16" cy="16" r="7.5" fill="none" stroke="#fff" strokeWidth="3" />
              </svg>
            ) : (
              <img src={shown} alt="" className="size-4 shrink-0 object-contain" />
            )}
            <span className="truncate">{siteName}</span>
          </div>
          <PictureControl {...ids} value={icon} isOptional onChange={onChange} onPicture={() => undefined} />
          {logo !== '' && logo !== icon && (
            <Button className="mt-2" onClick={() => onChange(logo)}>
              {t('useLogo')}
            </Button>
          )}
          <Problem text={problem} className="mt-1 text-xs!" />
        </div>
      )}
    </Field>
  );
}
