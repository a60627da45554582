// Dragging a piece with mouse, pen or finger: the piece follows the pointer, the square under it is lit, and
// where it is let go is told. A press without a movement stays a click.

const THRESHOLD = 5;

/** Starts a possible drag of the element that was pressed. `done` is told the square, or nothing off all boards. */
export function drag(press: PointerEvent, done: (square: string | undefined) => void): void {
  const source = press.currentTarget as HTMLElement;
  const icon = source.querySelector<HTMLElement>('.piece-icon') ?? source;
  if (press.button !== 0 || !press.isPrimary) return;
  let ghost: HTMLElement | undefined;
  let lit: Element | undefined;

  function squareAt(event: PointerEvent): Element | undefined {
    return document.elementFromPoint(event.clientX, event.clientY)?.closest('[data-square]') ?? undefined;
  }

  function begin(): HTMLElement {
    const box = icon.getBoundingClientRect();
    const made = icon.cloneNode(true) as HTMLElement;
    const picture = getComputedStyle(icon).backgroundImage;
    made.style.cssText = '';
    Object.assign(made.style, {
      position: 'fixed',
      inset: 'auto',
      left: '0',
      top: '0',
      width: `${box.width}px`,
      height: `${box.height}px`,
      backgroundImage: picture,
      backgroundSize: 'contain',
      backgroundPosition: 'center',
      backgroundRepeat: 'no-repeat',
      pointerEvents: 'none',
      zIndex: '1000',
    });
    document.body.append(made);
    icon.style.opacity = '0.35';
    return made;
  }

  function move(event: PointerEvent): void {
    if (event.pointerId !== press.pointerId) return;
    if (!ghost) {
      if (Math.hypot(event.clientX - press.clientX, event.clientY - press.clientY) < THRESHOLD) return;
      ghost = begin();
    }
    event.preventDefault();
    const half = ghost.offsetWidth / 2;
    ghost.style.transform = `translate(${event.clientX - half}px, ${event.clientY - half}px)`;
    const under = squareAt(event);
    if (under !== lit) {
      lit?.classList.remove('lit');
      under?.classList.add('lit');
      lit = under;
    }
  }

  function end(event: PointerEvent): void {
    if (event.pointerId !== press.pointerId) return;
    removeEventListener('pointermove', move);
    removeEventListener('pointerup', end);
    removeEventListener('pointercancel', end);
    lit?.classList.remove('lit');
    if (!ghost) return;
    ghost.remove();
    icon.style.opacity = '';
    if (event.type === 'pointercancel') return;
    // The click that ends a drag is none of ours.
    addEventListener('click', swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener('click', swallow, { capture: true }), 0);
    done(squareAt(event)?.getAttribute('data-square') ?? undefined);
  }

  addEventListener('pointermove', move);
  addEventListener('pointerup', end);
  addEventListener('pointercancel', end);
}

function swallow(event: Event): void {
  event.stopPropagation();
  event.preventDefault();
}
