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

/** Content of each picture by the name of its kit. */
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

for (const [name, content] of Object.entries(pictures)) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${content}</svg>`;
  // Few colours: a palette makes the files a few kilobytes.
  const png = await sharp(Buffer.from(svg)).png({ palette: true, colours: 32, effort: 10 }).toBuffer();
  writeFileSync(projectPath(`public/images/start-${name}.png`), png);
}
