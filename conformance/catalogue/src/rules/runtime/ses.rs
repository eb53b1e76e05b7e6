//! R-SES: cache sessions and their files.

rules! {
    R_SES_01 {
        id: "R-SES-01",
        level: Must,
        section: "Method ID3D12CompilerFactory::CreateCompilerCacheSession",
        reading: "With a path that leads to no file the call returns S_OK and a session, and the file is created.",
        why: "This is how every database begins.",
        hint: "Create the file, for the types of the path, when the session is made.",
    }

    R_SES_02 {
        id: "R-SES-02",
        level: Must,
        section: "Method ID3D12CompilerFactory::CreateCompilerCacheSession",
        reading: "A file that exists is opened for modification: what an earlier session stored is found, and more can be stored.",
        why: "Databases grow over many builds; a session that begins anew throws the work of all others away.",
        hint: "Open without truncating, and have everything written when the last reference to a session is gone.",
    }

    R_SES_03 {
        id: "R-SES-03",
        level: Must,
        section: "Struct: D3D12_COMPILER_DATABASE_PATH",
        reading: "With several paths each value type is stored in the database of its path: a later session on that file alone finds the values of its types, and no others.",
        why: "PDBs are kept apart so that they need not be shipped.",
        hint: "Choose the database by the type of the value, for stores and for finds.",
    }

    R_SES_04 {
        id: "R-SES-04",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::GetCompilerTarget",
        reading: "GetCompilerTarget returns the target that the session was created with.",
        why: "It decides what is compiled, and for whom.",
        hint: "Keep the target; mind that a structure returned by value is written through a hidden pointer by Microsoft's compilers.",
    }

    R_SES_05 {
        id: "R-SES-05",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::GetApplicationDesc",
        reading: "GetApplicationDesc returns the application that the session was created with: both names, the version, and the engine with its version.",
        why: "The plugin chooses a profile by it, and the installer the database.",
        hint: "Copy every member; a null engine name stays null.",
    }

    R_SES_06 {
        id: "R-SES-06",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::GetApplicationDesc",
        reading: "The returned structure and its strings live as long as the session, whatever becomes of the caller's own, of the factory and of other sessions.",
        why: "Callers keep the pointer instead of copying six members.",
        hint: "Copy the strings into memory of the session and return the same pointer every time.",
    }

    R_SES_07 {
        id: "R-SES-07",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::GetValueTypes",
        reading: "GetValueTypes returns the value types of all paths that the session was created with.",
        why: "A compiler asks it what to produce.",
        hint: "Return the union of the Types of the paths.",
    }

    R_SES_08 {
        id: "R-SES-08",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::GetCompilerTarget",
        reading: "Target and application are stored in the database: a later session on the file that is given neither, as both are optional, has them.",
        why: "Tools that only read a database do not know whose it is.",
        hint: "Write both when the file is created, and read them when pTarget or pApplicationDesc is null.",
    }

    R_SES_09 {
        id: "R-SES-09",
        level: Should,
        section: "Method ID3D12CompilerFactory::CreateCompilerCacheSession",
        reading: "No paths, a null pPaths, a null pPath and Types without a type get E_INVALIDARG, and no session.",
        why: "The specification states no return codes here; a session that stores nothing hides the mistake.",
        hint: "Check the paths before any file is touched.",
    }

    R_SES_10 {
        id: "R-SES-10",
        level: Should,
        section: "Method ID3D12CompilerFactory::CreateCompilerCacheSession",
        reading: "A file that is not a database is refused and stays as it was.",
        why: "A mistyped path must not cost the file that it leads to.",
        hint: "Look at the beginning of a file that exists before you open it for modification.",
    }

    R_SES_11 {
        id: "R-SES-11",
        level: Should,
        section: "Struct: D3D12_APPLICATION_DESC",
        reading: "CreateCompilerCacheSession with an application whose pExeFilename or pName is null gets E_INVALIDARG, and no session.",
        why: "Both are required, and the database would be nobody's; the specification states no return code.",
        hint: "Check the strings of an application before any file is touched.",
    }
}
