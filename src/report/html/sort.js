document.querySelectorAll('table.sort').forEach(table => {
  const heads = [...table.tHead.rows[0].cells];
  const number = cell => parseFloat(cell.textContent.replace(/[, +]/g, '').replace('−', '-'));
  heads.forEach((head, at) => {
    if (!head.textContent.trim()) return;
    const button = document.createElement('button');
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const sign = head.getAttribute('aria-sort') === 'descending' ? 1 : -1;
      heads.forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', sign < 0 ? 'descending' : 'ascending');
      const rank = row => row.matches('.sum') ? 1 : 0;
      const compare = (one, other) => {
        const [a, b] = [number(one.cells[at]), number(other.cells[at])];
        if (isNaN(a) || isNaN(b)) {
          if (isNaN(a) !== isNaN(b)) return isNaN(a) ? 1 : -1;
          return sign * one.cells[at].textContent.localeCompare(other.cells[at].textContent);
        }
        return sign * (a - b);
      };
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort((one, other) => rank(one) - rank(other) || compare(one, other)));
    };
  });
});
