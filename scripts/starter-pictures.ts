import { writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { projectPath } from '#scripts/lib/project';

/* Draws the pictures of the starter kits: `node scripts/starter-pictures.ts` writes them to public/images. */

const WIDTH = 1_200;
const HEIGHT = 900;

/** Numbers from 0 to `count` - 1. */
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

const rect = (x: number, y: number, width: number, height: number, fill: string, more = '') =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}" ${more}/>`;
const circle = (x: number, y: number, radius: number, fill: string, more = '') =>
  `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}" ${more}/>`;
const path = (line: string, fill: string, more = '') => `<path d="${line}" fill="${fill}" ${more}/>`;
const outline = (color: string, width: number) => `stroke="${color}" stroke-width="${width}"`;

const ellipse = (x: number, y: number, width: number, height: number, fill: string) =>
  `<ellipse cx="${x}" cy="${y}" rx="${width / 2}" ry="${height / 2}" fill="${fill}"/>`;

/** A cup with a handle; x and y of its upper left corner. */
const cup = (x: number, y: number, size: number, fill: string) =>
  [
    `<circle cx="${x + size}" cy="${y + size * 0.42}" r="${size * 0.25}" fill="none" ${outline(fill, size * 0.11)}/>`,
    path(
      `M${x} ${y} h${size} v${size * 0.5} a${size * 0.4} ${size * 0.4} 0 0 1 ${-size * 0.4} ${size * 0.4} h${-size * 0.2} a${size * 0.4} ${size * 0.4} 0 0 1 ${-size * 0.4} ${-size * 0.4}Z`,
      fill,
    ),
  ].join('');

/** A person from the front, without a face; stands for a photograph. */
const person = (ground: string, clothes: string, skin: string, hair: string, hairLine: string) =>
  [
    rect(0, 0, WIDTH, HEIGHT, ground),
    path(hairLine, hair),
    path('M230 900 C240 690 400 640 600 640 S960 690 970 900Z', clothes),
    rect(525, 520, 150, 190, skin, 'rx="70"'),
    ellipse(600, 400, 290, 350, skin),
  ].join('');

/** Content of each picture by its name: that of its kit, and `-2` for the second one. */
const pictures: Readonly<Record<string, string>> = {
  studio: [
    rect(0, 0, WIDTH, HEIGHT, '#efe7d8'),
    circle(860, 260, 130, '#f7d9a8'),
    path('M0 520 Q300 340 640 500 T1200 440 V900 H0Z', '#b9c29f'),
    path('M0 640 Q260 520 560 640 T1200 600 V900 H0Z', '#83946a'),
    path('M0 780 Q380 640 760 770 T1200 750 V900 H0Z', '#4a5d3a'),
  ].join(''),
  cafe: [
    rect(0, 0, WIDTH, HEIGHT, '#f3e3cf'),
    rect(0, 620, WIDTH, 280, '#b5744a'),
    circle(600, 500, 330, '#fbf4ea'),
    circle(600, 500, 300, '#e9d6bd'),
    circle(600, 500, 215, '#ffffff'),
    circle(600, 500, 180, '#5b2f17'),
    path('M600 640 C470 540 500 400 600 450 C700 400 730 540 600 640Z', '#d9a679'),
    path('M805 440 a95 95 0 1 1 0 130', 'none', outline('#ffffff', 44)),
  ].join(''),
  consultant: [
    rect(0, 0, WIDTH, HEIGHT, '#e8eef3'),
    circle(430, 470, 280, '#1f4b6e', 'fill-opacity="0.85"'),
    circle(690, 400, 230, '#4f86ad', 'fill-opacity="0.75"'),
    circle(830, 590, 170, '#f0b45a', 'fill-opacity="0.9"'),
    path('M80 760 L470 560 L700 610 L1120 220', 'none', `${outline('#10283c', 14)} stroke-linejoin="round"`),
    circle(1_120, 220, 26, '#10283c'),
  ].join(''),
  club: [
    rect(0, 0, WIDTH, HEIGHT, '#f6ecdc'),
    `<g transform="rotate(-24 600 450)">${range(7)
      .map((index) => rect(-300, -240 + index * 210, 1_800, 105, index % 2 === 0 ? '#8a1f2d' : '#c4515c'))
      .join('')}</g>`,
    circle(600, 450, 210, '#f6ecdc'),
    circle(600, 450, 160, '#8a1f2d'),
    circle(600, 450, 90, '#f6ecdc'),
  ].join(''),
  workshop: [
    rect(0, 0, WIDTH, HEIGHT, '#f1e2c6'),
    ...range(9).map((index) =>
      circle(520 + index * 9, 470 - index * 6, 430 - index * 46, index % 2 === 0 ? '#9a5b12' : '#d79a4b'),
    ),
    rect(880, 90, 46, 720, '#3b2a18', 'transform="rotate(18 903 450)"'),
    rect(800, 60, 210, 110, '#6c7278', 'transform="rotate(18 903 450)" rx="14"'),
  ].join(''),
  shop: [
    rect(0, 0, WIDTH, HEIGHT, '#dfe9ec'),
    rect(120, 250, 960, 560, '#ffffff'),
    rect(150, 280, 900, 500, '#f4ead9'),
    ...range(10).map((index) =>
      path(`M${90 + index * 102} 130 h102 v150 a51 51 0 0 1 -102 0Z`, index % 2 === 0 ? '#2d5f73' : '#f7f4ee'),
    ),
    rect(210, 560, 190, 220, '#c4515c'),
    rect(430, 620, 160, 160, '#f0b45a'),
    rect(620, 500, 150, 280, '#4a7d5c'),
    rect(800, 600, 200, 180, '#2d5f73'),
    rect(0, 810, WIDTH, 90, '#8b9aa0'),
  ].join(''),
};

/** Second pictures of the kits, and people. */
const more: Readonly<Record<string, string>> = {
  'studio-2': [
    rect(0, 0, WIDTH, HEIGHT, '#e6ead8'),
    circle(600, 400, 290, '#f7ecd2'),
    rect(0, 690, WIDTH, 210, '#c9b994'),
    ...range(4).map((index) =>
      path(
        `M0 ${740 + index * 45} Q300 ${715 + index * 45} 600 ${740 + index * 45} T1200 ${740 + index * 45}`,
        'none',
        outline('#b3a27a', 6),
      ),
    ),
    ellipse(600, 640, 420, 140, '#4a5d3a'),
    ellipse(590, 530, 310, 116, '#83946a'),
    ellipse(610, 440, 220, 92, '#5f7350'),
    ellipse(598, 368, 140, 66, '#b9c29f'),
  ].join(''),
  'cafe-2': [
    rect(0, 0, WIDTH, HEIGHT, '#ecd3b4'),
    ...range(2).map((row) => rect(0, 350 + row * 370, WIDTH, 34, '#8a5230')),
    ...['#7a3e1d', '#fbf4ea', '#b5744a', '#fbf4ea'].map((fill, index) => cup(110 + index * 265, 170, 170, fill)),
    path('M110 720 a180 180 0 0 1 360 0Z', '#f8ecdb'),
    rect(80, 690, 420, 30, '#5b2f17'),
    path('M150 690 L150 590 L330 540 L430 590 L430 690Z', '#d9a679'),
    path('M150 590 L330 540 L430 590 L430 615 L150 615Z', '#fff8ee'),
    cup(600, 560, 150, '#5b2f17'),
    ...['#c4515c', '#d9a679', '#7a3e1d'].map((fill, index) =>
      rect(820 + index * 105, 570 - index * 40, 80, 150 + index * 40, fill, 'rx="16"'),
    ),
  ].join(''),
  'consultant-2': [
    rect(0, 0, WIDTH, HEIGHT, '#dfe8ef'),
    ...['#b9cddc', '#8fb1c8', '#4f86ad', '#2f6890', '#1f4b6e'].map((fill, index) =>
      rect(120 + index * 180, 640 - index * 105, 180, 260 + index * 105, fill),
    ),
    path('M930 220 V70', 'none', outline('#10283c', 14)),
    path('M930 70 L1060 105 L930 145Z', '#f0b45a'),
  ].join(''),
  'club-2': [
    rect(0, 0, WIDTH, HEIGHT, '#f6ecdc'),
    ...range(6).map((index) => circle(600, 1_150, 980 - index * 120, index % 2 === 0 ? '#8a1f2d' : '#a8323f')),
    ...range(6).map((index) => circle(600, 1_150, 980 - index * 120, 'none', outline('#f6ecdc', 8))),
    circle(600, 1_150, 260, '#5b7a4a'),
    circle(930, 150, 70, '#f0b45a'),
  ].join(''),
  'workshop-2': [
    rect(0, 0, WIDTH, HEIGHT, '#d79a4b'),
    ...range(6).map((index) =>
      path(`M0 ${90 + index * 140} Q260 ${60 + index * 140} 560 ${95 + index * 140}`, 'none', outline('#c4863a', 10)),
    ),
    path(
      `M620 0 ${range(4)
        .map(
          (index) =>
            `L620 ${60 + index * 225} L470 ${30 + index * 225} L470 ${195 + index * 225} L620 ${165 + index * 225}`,
        )
        .join(' ')} L620 900 H1200 V0Z`,
      '#7a4a1e',
    ),
    ...range(5).map((index) =>
      path(
        `M700 ${80 + index * 180} Q940 ${50 + index * 180} 1200 ${90 + index * 180}`,
        'none',
        outline('#6a3f18', 10),
      ),
    ),
  ].join(''),
  'shop-2': [
    rect(0, 0, WIDTH, HEIGHT, '#e7eef0'),
    ...range(3).map((row) => rect(60, 270 + row * 280, 1_080, 26, '#2d5f73')),
    ...range(18).map((index) => {
      const [row, place] = [Math.floor(index / 6), index % 6];
      const height = [150, 190, 120, 170, 140, 185][(place + row * 2) % 6]!;
      const fill = ['#c4515c', '#f0b45a', '#4a7d5c', '#f4ead9', '#2d5f73', '#8b9aa0'][(place * 5 + row * 2) % 6]!;
      return rect(100 + place * 175, 270 + row * 280 - height, 120, height, fill, `rx="${place % 2 === 0 ? 14 : 50}"`);
    }),
  ].join(''),
  'person-1': person(
    '#e5ddd0',
    '#5d6f73',
    '#c98f6a',
    '#3a2a22',
    'M420 470 C390 180 560 140 610 150 C760 150 830 260 780 480 L760 640 H440Z',
  ),
  'person-2': person('#d9e0dc', '#2f5d50', '#8a5a3c', '#221a16', 'M445 400 C430 210 520 170 600 170 S770 210 755 400Z'),
  'person-3': person(
    '#e3d8d4',
    '#4c5a7a',
    '#e0b08c',
    '#a8612f',
    'M430 400 C420 180 530 160 620 165 C760 165 790 280 770 420 L790 560 C770 600 700 600 690 560 L690 300 L440 420Z',
  ),
};

for (const [name, content] of Object.entries({ ...pictures, ...more })) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${content}</svg>`;
  // Few colours: a palette makes the files a few kilobytes.
  const png = await sharp(Buffer.from(svg)).png({ palette: true, colours: 32, effort: 10 }).toBuffer();
  writeFileSync(projectPath(`public/images/start-${name}.png`), png);
}
