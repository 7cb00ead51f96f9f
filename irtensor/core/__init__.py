"""Plain values below the dialects, without xDSL: errors, operators, formats, arguments, expressions as text."""
