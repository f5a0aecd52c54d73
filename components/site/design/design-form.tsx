import { PictureControl } from '#components/editor/pictures/picture-control';
import { translator } from '#components/i18n.ts';
import { FooterColumnsForm } from '#components/site/design/footer-columns';
import { IconField } from '#components/site/design/icon-field';
import { PaletteFields } from '#components/site/design/palette-fields';
import { ThemePicker } from '#components/site/design/theme-picker';
import { ChoiceField, Field, Option } from '#components/ui/fields';
import { Problem } from '#components/ui/dialogs/submit';
import { Section } from '#components/ui/page-parts';
import {
  type DesignChoice,
  designChoices,
  footerKinds,
  headerKinds,
  phoneMenus,
} from '#server/core/site/design/design-choices';
import { brandOf } from '#server/core/site/design/shades';
import type { SiteSettings } from '#server/core/site/content';
import type { Design } from '#server/core/site/design/design';

const t = translator('design');

interface DesignFormProps {
  readonly design: Design;
  /** Problems by path: `palette.ink`. */
  readonly problems: Readonly<Record<string, string>>;
  /** Settings that the design completes. */
  readonly settings: SiteSettings;
  readonly onChange: (design: Design) => void;
}

/** All parts of a design. */
export function DesignForm({ design, problems, settings, onChange }: DesignFormProps) {
  const { palette, header, footer, logo } = design;
  const write = <Name extends keyof Design>(name: Name, value: Design[Name]) => onChange({ ...design, [name]: value });
  const choice = (name: DesignChoice) => (
    <Choice<string>
      label={t(`parts.${name}`)}
      values={designChoices[name]}
      nameOf={(value) => t(`values.${name}.${value}` as 'values.width.wide')}
      value={design[name]}
      onChange={(value) => onChange({ ...design, [name]: value })}
    />
  );
  return (
    <>
      <Section title={t('themes.title')} intro={t('themes.intro')}>
        <ThemePicker design={design} onChange={onChange} />
      </Section>
      <Section title={t('palette.title')} intro={t('palette.intro')}>
        <PaletteFields
          palette={palette}
          accentColor={settings.accentColor}
          problems={problems}
          onChange={(value) => write('palette', value)}
        />
        <div className="mt-5">{choice('appearance')}</div>
      </Section>
      <Section title={t('type.title')} intro={t('type.intro')}>
        <div className="flex flex-wrap gap-x-8 gap-y-4">
          {choice('fonts')}
          {choice('typeScale')}
        </div>
      </Section>
      <Section title={t('shape.title')} intro={t('shape.intro')}>
        <div className="flex flex-wrap gap-x-8 gap-y-4">
          {choice('button')}
          {choice('corners')}
          {choice('spacing')}
          {choice('width')}
          {choice('sectionStyle')}
        </div>
      </Section>
      <Section title={t('header.title')} intro={t('header.intro')}>
        <div className="flex flex-wrap gap-x-8 gap-y-4">
          <Choice
            label={t('header.kind')}
            values={headerKinds}
            nameOf={(kind) => t(`header.kinds.${kind}`)}
            value={header.kind}
            onChange={(kind) => write('header', { ...header, kind })}
          />
          <Choice
            label={t('header.phoneMenu')}
            values={phoneMenus}
            nameOf={(kind) => t(`header.phoneMenus.${kind}`)}
            value={header.phoneMenu}
            onChange={(phoneMenu) => write('header', { ...header, phoneMenu })}
          />
        </div>
        <div className="mt-4">
          <Option
            label={t('header.sticky')}
            hint={t('header.stickyHint')}
            isOn={header.isSticky}
            onChange={(isSticky) => write('header', { ...header, isSticky })}
          />
        </div>
        <div className="mt-6 grid gap-5 sm:grid-cols-2 lg:grid-cols-1 2xl:grid-cols-2">
          {(['light', 'dark'] as const).map((name) => (
            <Field key={name} label={t(`logo.${name}`)} hint={t(`logo.${name}Hint`)}>
              {(ids) => (
                <div data-panel tabIndex={-1} className="outline-none">
                  <PictureControl
                    {...ids}
                    value={logo[name]}
                    isOptional
                    onChange={(address) => write('logo', { ...logo, [name]: address })}
                    onPicture={() => undefined}
                  />
                  <Problem text={problems[`logo.${name}`] ?? null} className="mt-1 text-xs!" />
                </div>
              )}
            </Field>
          ))}
        </div>
        <div className="mt-6">
          <IconField
            icon={design.icon}
            logo={logo.light}
            fallback={{ icon: settings.icon, color: brandOf(palette, settings.accentColor) }}
            siteName={settings.siteName}
            problem={problems['icon'] ?? null}
            onChange={(icon) => write('icon', icon)}
          />
        </div>
      </Section>
      <Section title={t('footer.heading')} intro={t('footer.intro')}>
        <Choice
          label={t('footer.kind')}
          values={footerKinds}
          nameOf={(kind) => t(`footer.kinds.${kind}`)}
          value={footer.kind}
          onChange={(kind) => write('footer', { ...footer, kind })}
        />
        <div className="mt-5">
          <FooterColumnsForm
            columns={footer.columns}
            problems={problems}
            onChange={(columns) => write('footer', { ...footer, columns })}
          />
        </div>
      </Section>
    </>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly values: readonly T[];
  readonly nameOf: (value: T) => string;
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** One of several values. */
function Choice<T extends string>({ values, nameOf, ...field }: ChoiceProps<T>) {
  const choices = Object.fromEntries(values.map((value) => [value, nameOf(value)])) as Record<T, string>;
  return <ChoiceField {...field} choices={choices} />;
}
