import { ItemList } from '#components/editor/panels/item-list';
import { LinkControl } from '#components/library/link-control';
import { translator } from '#components/i18n.ts';
import { Problem } from '#components/ui/dialogs/submit';
import { Field, formFieldStyle } from '#components/ui/fields';
import type { JsonObject } from '#server/core/json';
import { type Design, MAX_COLUMN_LINKS, MAX_FOOTER_COLUMNS } from '#server/core/site/design/design';

const t = translator('design.footer');
const tMenu = translator('siteSettings.menu');

type Columns = Design['footer']['columns'];
type Column = Columns[number];
type ColumnLink = Column['links'][number];

const columnOf = (item: JsonObject) => item as unknown as Column;
const linkOf = (item: JsonObject) => item as unknown as ColumnLink;

interface FooterColumnsFormProps {
  readonly columns: Columns;
  /** Problems by path: `footer.columns.0.links.1.href`. */
  readonly problems: Readonly<Record<string, string>>;
  readonly onChange: (columns: Columns) => void;
}

/** The columns of links in the footer. */
export function FooterColumnsForm({ columns, problems, onChange }: FooterColumnsFormProps) {
  const problemAt = (...path: readonly (string | number)[]) => problems[['footer.columns', ...path].join('.')] ?? null;
  /** Marks a closed item that has a problem. */
  const markAt = (...path: readonly (string | number)[]) => {
    const place = ['footer.columns', ...path, ''].join('.');
    return Object.keys(problems).some((key) => key.startsWith(place)) ? tMenu('wrong') : null;
  };
  const invalid = (problem: string | null) => (problem === null ? undefined : true);
  return (
    <ItemList
      label={t('columns')}
      item={t('column')}
      max={MAX_FOOTER_COLUMNS}
      value={columns as unknown as readonly JsonObject[]}
      blank={() => ({ title: '', links: [] })}
      isComplete={() => true}
      titleOf={(item) => columnOf(item).title}
      markOf={(_item, index) => markAt(index)}
      onList={(list) => onChange(list as unknown as Columns)}
      onItem={(at, field, value) => onChange(columns.with(at, { ...columns[at]!, [field]: value }))}
    >
      {(item, index, write) => (
        <>
          <Field label={t('title')} hint={t('titleHint')}>
            {(ids) => (
              <input
                {...ids}
                aria-invalid={invalid(problemAt(index, 'title'))}
                autoComplete="off"
                value={columnOf(item).title}
                onChange={({ target }) => write('title', target.value)}
                className={formFieldStyle}
              />
            )}
          </Field>
          <Problem text={problemAt(index, 'title')} className="mt-1 text-xs!" />
          <ItemList
            label={t('links')}
            item={t('link')}
            max={MAX_COLUMN_LINKS}
            value={columnOf(item).links}
            blank={() => ({ label: '', href: '' })}
            isComplete={(link) => linkOf(link).label !== '' && linkOf(link).href !== ''}
            titleOf={(link) => linkOf(link).label}
            markOf={(_link, at) => markAt(index, 'links', at)}
            onList={(list) => write('links', list)}
            onItem={(at, field, value) =>
              write('links', [...columnOf(item).links].with(at, { ...columnOf(item).links[at]!, [field]: value }))
            }
          >
            {(link, at, writeLink) => (
              <>
                <Field label={t('label')}>
                  {(ids) => (
                    <input
                      {...ids}
                      aria-invalid={invalid(problemAt(index, 'links', at, 'label'))}
                      autoComplete="off"
                      value={linkOf(link).label}
                      onChange={({ target }) => writeLink('label', target.value)}
                      className={formFieldStyle}
                    />
                  )}
                </Field>
                <Problem text={problemAt(index, 'links', at, 'label')} className="mt-1 text-xs!" />
                <Field label={t('target')}>
                  {(ids) => (
                    <LinkControl
                      {...ids}
                      aria-invalid={invalid(problemAt(index, 'links', at, 'href'))}
                      value={linkOf(link).href}
                      onChange={(href) => writeLink('href', href)}
                    />
                  )}
                </Field>
                <Problem text={problemAt(index, 'links', at, 'href')} className="mt-1 text-xs!" />
              </>
            )}
          </ItemList>
        </>
      )}
    </ItemList>
  );
}
