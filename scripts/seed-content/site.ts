import type { NavigationItem, SiteSettings } from '#server/core/content';

/** The demo site's navigation. */
export const navigation: readonly NavigationItem[] = [
  {
    label: 'Workshops',
    href: '/workshops',
    children: [
      { label: 'All workshops', href: '/workshops' },
      { label: 'Firing club', href: '/firing-club' },
    ],
  },
  { label: 'Commissions', href: '/commissions' },
  { label: 'Journal', href: '/blog' },
  { label: 'Our story', href: '/our-story' },
  { label: 'Visit us', href: '/visit-us' },
  { label: 'Contact', href: '/contact' },
];

/** The demo site's settings. */
export const settings: SiteSettings = {
  siteName: 'Tidewrack Pottery',
  tagline: 'Stoneware and workshops from a boathouse on the estuary',
  homeSlug: 'home',
  contactEmail: 'hello@tidewrack.example',
  footerText: 'Old Ferry Boathouse, Slip Lane, Hollinmouth. Open Thursday to Sunday; ring the bell.',
  accentColor: '#a34a2a',
};
