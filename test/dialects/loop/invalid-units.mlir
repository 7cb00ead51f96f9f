// RUN: irtensor-opt %s --split-input-file --verify-diagnostics

func.func @f(%n: index) {
  // expected-error @+1 {{expected blocks, teams, lanes, threads, got 'warps'}}
  loop.parallel %b = %n to %n on warps {
  }
  func.return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{a block has a multiple of 32 threads, up to 1024, not 100}}
  loop.parallel %b = %n to %n on blocks(100) {
  }
  func.return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{a block has a multiple of 32 threads, up to 1024, not 0}}
  loop.parallel %b = %n to %n on blocks(0) {
  }
  func.return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{a block has a multiple of 32 threads, up to 1024, not 2048}}
  loop.parallel %b = %n to %n on blocks(2048) {
  }
  func.return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{a team has 1, 2, 4, 8, 16 or 32 lanes, not 3}}
  loop.parallel %b = %n to %n on teams(3) {
  }
  func.return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{a team has 1, 2, 4, 8, 16 or 32 lanes, not 64}}
  loop.parallel %b = %n to %n on teams(64) {
  }
  func.return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{a loop on teams is directly inside a loop on blocks}}
  loop.parallel %b = %n to %n on teams(8) {
  }
  func.return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{a loop on lanes is directly inside a loop on teams}}
  loop.parallel %b = %n to %n on lanes {
  }
  func.return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{a loop on threads is directly inside a loop on blocks}}
  loop.parallel %b = %n to %n on threads {
  }
  func.return
}

// -----

// expected-error @+1 {{lanes have no number of their own: it is that of the unit around}}
func.func @f() attributes {units = #loop.units<"lanes", #builtin.int<8>>} {
  func.return
}

// -----

func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  loop.parallel %i = %c0 to %n {
    // expected-error @+1 {{a loop on blocks is not inside another parallel loop}}
    loop.parallel %j = %c0 to %n on blocks(32) {
    }
  }
  func.return
}

// -----

func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  loop.parallel %i = %c0 to %n on blocks(32) {
    // expected-error @+1 {{a loop on blocks is not inside another parallel loop}}
    loop.parallel %j = %c0 to %n on blocks(32) {
    }
  }
  func.return
}

// -----

func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  loop.parallel %i = %c0 to %n on blocks(32) {
    // expected-error @+1 {{a parallel loop inside another one says on which units it is}}
    loop.parallel %j = %c0 to %n {
    }
  }
  func.return
}

// -----

func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  loop.parallel %i = %c0 to %n on blocks(32) {
    // expected-error @+1 {{a loop on lanes is directly inside a loop on teams}}
    loop.parallel %j = %c0 to %c4 on lanes {
    }
  }
  func.return
}

// -----

func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  loop.parallel %i = %c0 to %n {
    // expected-error @+1 {{a loop on teams is directly inside a loop on blocks}}
    loop.parallel %j = %c0 to %c4 on teams(8) {
    }
  }
  func.return
}

// -----

func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  loop.parallel %i = %c0 to %n on blocks(64) {
    // expected-error @+1 {{this loop on threads goes from 0 to 64, which are constants}}
    loop.parallel %j = %c0 to %c32 on threads {
    }
  }
  func.return
}

// -----

func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  loop.parallel %i = %c0 to %n on blocks(32) {
    // expected-error @+1 {{this loop on threads goes from 0 to 32, which are constants}}
    loop.parallel %j = %c1 to %c32 on threads {
    }
  }
  func.return
}

// -----

func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  loop.parallel %i = %c0 to %n on blocks(32) {
    // expected-error @+1 {{this loop on threads goes from 0 to 32, which are constants}}
    loop.parallel %j = %c0 to %n on threads {
    }
  }
  func.return
}

// -----

func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  loop.parallel %i = %c0 to %n on blocks(64) {
    // expected-error @+1 {{this loop on teams goes from 0 to 8, which are constants}}
    loop.parallel %j = %c0 to %c4 on teams(8) {
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    loop.parallel %g = %c0 to %c4 on teams(8) {
      // expected-error @+1 {{this loop on lanes goes from 0 to 8, which are constants}}
      loop.parallel %l = %c0 to %c4 on lanes {
      }
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    loop.parallel %t = %c0 to %c32 on threads {
      // expected-error @+1 {{a loop on lanes is directly inside a loop on teams}}
      loop.parallel %l = %c0 to %c8 on lanes {
      }
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    loop.parallel %t = %c0 to %c32 on threads {
      // expected-error @+1 {{shared memory is made in a loop on blocks, and under no condition inside of it}}
      %s = loop.shared 8 : f64
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    loop.for %i = %c0 to %n {
      // expected-error @+1 {{shared memory is made in a loop on blocks, and under no condition inside of it}}
      %s = loop.shared 8 : f64
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    // expected-error @+1 {{the count is an i64 of 1 or more}}
    %s = loop.shared 0 : f64
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    %sum = loop.cell %x : f64
    // expected-error @+1 {{'loop.set' changes memory made outside of the loop: iterations would race for it}}
    loop.parallel %t = %c0 to %c32 on threads {
      loop.set %x, %sum : f64
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %g: !loop.growable<f64>) {
  // expected-error @+1 {{'loop.reserve' is for the host, and not inside of a loop on blocks}}
  loop.parallel %b = %n to %n on blocks(32) {
    loop.reserve %g, %n : f64
  }
  func.return
}

// -----

func.func @f(%n: index, %c: i1) {
  // expected-error @+1 {{'loop.require' is for the host, and not inside of a loop on blocks}}
  loop.parallel %b = %n to %n on blocks(32) {
    loop.require %c else 2
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    %sum = loop.cell %x : f64
    // expected-error @+1 {{it stands in a loop on lanes or threads, and under no condition inside of it}}
    loop.reduce %x into %sum (%a: f64, %c: f64) {
      loop.yield %a : f64
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    %sum = loop.cell %x : f64
    loop.parallel %t = %c0 to %c32 on threads {
      loop.for %i = %c0 to %n {
        // expected-error @+1 {{it stands in a loop on lanes or threads, and under no condition inside of it}}
        loop.reduce %x into %sum (%a: f64, %c: f64) {
          loop.yield %a : f64
        }
      }
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    %sum = loop.cell %x : f64
    loop.parallel %t = %c0 to %c32 on threads {
      %is_first = arith.cmpi eq, %t, %c0 : index
      loop.if %is_first {
        // expected-error @+1 {{it stands in a loop on lanes or threads, and under no condition inside of it}}
        loop.reduce %x into %sum (%a: f64, %c: f64) {
          loop.yield %a : f64
        }
      }
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    %sum = loop.cell %x : f64
    loop.parallel %g = %c0 to %c4 on teams(8) {
      // expected-error @+1 {{it stands in a loop on lanes or threads, and under no condition inside of it}}
      loop.reduce %x into %sum (%a: f64, %c: f64) {
        loop.yield %a : f64
      }
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    loop.parallel %t = %c0 to %c32 on threads {
      %sum = loop.cell %x : f64
      // expected-error @+1 {{the cell is made outside of the loop}}
      loop.reduce %x into %sum (%a: f64, %c: f64) {
        loop.yield %a : f64
      }
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %sum = loop.cell %x : f64
  loop.parallel %b = %c0 to %n on blocks(32) {
    loop.parallel %t = %c0 to %c32 on threads {
      // expected-error @+1 {{the cell is made in the loop on blocks: it is a cell of each of the blocks}}
      loop.reduce %x into %sum (%a: f64, %c: f64) {
        loop.yield %a : f64
      }
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    %sum = loop.cell %x : f64
    loop.parallel %g = %c0 to %c4 on teams(8) {
      loop.parallel %l = %c0 to %c8 on lanes {
        // expected-error @+1 {{the cell is made in the loop on teams: it is a cell of each of the teams}}
        loop.reduce %x into %sum (%a: f64, %c: f64) {
          loop.yield %a : f64
        }
      }
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %true = arith.constant true
  loop.parallel %b = %c0 to %n on blocks(32) {
    %sum = loop.cell %x : f64
    loop.parallel %t = %c0 to %c32 on threads {
      // expected-error @+1 {{'loop.get' uses the cell in the loop, before all have reached it}}
      loop.reduce %x into %sum (%a: f64, %c: f64) {
        loop.yield %a : f64
      }
      loop.if %true {
        %r = loop.get %sum : f64
      }
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    %sum = loop.cell %x : f64
    loop.parallel %t = %c0 to %c32 on threads {
      // expected-error @+1 {{'loop.reduce' uses the cell in the loop, before all have reached it}}
      loop.reduce %x into %sum (%a: f64, %c: f64) {
        loop.yield %a : f64
      }
      // expected-error @+1 {{'loop.reduce' uses the cell in the loop, before all have reached it}}
      loop.reduce %x into %sum (%a: f64, %c: f64) {
        loop.yield %a : f64
      }
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    %sum = loop.cell %n : index
    loop.parallel %t = %c0 to %c32 on threads {
      // expected-error @+1 {{the cell has a value of type index, not f64}}
      "loop.reduce"(%x, %sum) ({
      ^bb0(%a: f64, %c: f64):
        loop.yield %a : f64
      }) : (f64, !loop.cell<index>) -> ()
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    %sum = loop.cell %x : f64
    loop.parallel %t = %c0 to %c32 on threads {
      // expected-error @+1 {{the body takes two values of type f64, and ends in loop.yield}}
      loop.reduce %x into %sum (%a: f64) {
        loop.yield %a : f64
      }
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    %sum = loop.cell %x : f64
    loop.parallel %t = %c0 to %c32 on threads {
      // expected-error @+1 {{the body gives index for a cell of f64}}
      loop.reduce %x into %sum (%a: f64, %c: f64) {
        loop.yield %n : index
      }
    }
  }
  func.return
}

// -----

func.func @f(%n: index, %x: f64, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  loop.parallel %b = %c0 to %n on blocks(32) {
    %sum = loop.cell %x : f64
    loop.parallel %t = %c0 to %c32 on threads {
      // expected-error @+1 {{the body only computes, and 'loop.load' does more}}
      loop.reduce %x into %sum (%a: f64, %c: f64) {
        %v = loop.load %y[%n] : f64
        loop.yield %v : f64
      }
    }
  }
  func.return
}
