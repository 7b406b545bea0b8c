// Checks pages in a browser: usage: node check.mjs FOLDER CHROMIUM
//
// Each page in light and dark, 1,280 and 420 pixels wide: no violation that axe-core finds, nothing wider than the
// window, no two labels of a picture that touch, and none that is cut off. Screenshots are written beside the pages.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import puppeteer from 'puppeteer-core';

const [folder, executablePath] = process.argv.slice(2);
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const pages = fs.readdirSync(folder).filter(name => name.endsWith('.html'));

// Runs in the page.
function look() {
  const problems = [];
  const width = document.documentElement.scrollWidth;
  if (width > window.innerWidth) problems.push(`${width - window.innerWidth} px wider than the window`);
  const isShown = text => text.getClientRects().length > 0 && getComputedStyle(text).display !== 'none';
  const boxes = new Map();
  for (const chart of document.querySelectorAll('svg.chart')) {
    const texts = [...chart.querySelectorAll('text')].filter(isShown);
    boxes.set(chart, texts.map(text => ({ text: text.textContent, box: text.getBoundingClientRect() })));
  }
  for (const [chart, texts] of boxes) {
    const name = chart.querySelector('title')?.textContent ?? 'names of rows';
    const outer = chart.getBoundingClientRect();
    texts.forEach(({ text, box }, at) => {
      // A label may end a little outside of its picture, but not outside of the page.
      const isOut = box.left < -0.5 || box.right > window.innerWidth + 0.5;
      if (isOut || box.bottom > outer.bottom + 4 || box.top < outer.top - 6) problems.push(`${name}: "${text}" is cut off`);
      for (const other of texts.slice(at + 1)) {
        const x = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const y = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        // Boxes of lines have room above and below the letters.
        if (x > 1 && y > 3) problems.push(`${name}: "${text}" and "${other.text}" touch`);
      }
    });
  }
  return problems;
}

const browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox'] });
let failed = 0;
for (const name of pages) {
  for (const scheme of ['light', 'dark']) {
    for (const width of [1280, 420]) {
      const page = await browser.newPage();
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      const requests = [];
      page.on('request', request => requests.push(request.url()));
      const errors = [];
      page.on('pageerror', error => errors.push(String(error)));
      await page.goto('file://' + path.resolve(folder, name));
      const problems = [...(await page.evaluate(look)), ...errors];
      if (requests.length !== 1) problems.push(`it requests ${requests.slice(1).join(', ')}`);
      const shot = path.join(folder, `${name.replace('.html', '')}-${width}-${scheme}.png`);
      await page.screenshot({ path: shot, fullPage: true });
      // The page's policy lets no other script in; the driver's own do not come from the page.
      await page.setBypassCSP(true);
      await page.reload();
      await page.evaluate(axe);
      const result = await page.evaluate(() => window.axe.run());
      for (const { id, nodes } of result.violations) problems.push(`axe: ${id}: ${nodes[0].html.slice(0, 160)}`);
      // Sorting is the only thing that the script does.
      const sorted = await page.evaluate(() => {
        const button = document.querySelector('table.sort th button');
        if (!button) return true;
        button.click();
        return document.querySelector('th[aria-sort]') !== null;
      });
      if (!sorted) problems.push('a table is not sorted');
      for (const problem of new Set(problems)) console.log(`${name} ${scheme} ${width}: ${problem}`);
      failed += problems.length;
      await page.close();
    }
  }
}
await browser.close();
console.log(`${pages.length} pages, light and dark, 1280 and 420 px: ${failed} problems`);
process.exit(failed ? 1 : 0);
