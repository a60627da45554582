//! Boards and move diagrams as SVG, PNG and terminal text.
